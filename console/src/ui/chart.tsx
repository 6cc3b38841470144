import { ChartColumn, Table2 } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { common } from "../texts/common.ts";
import { IconButton } from "./button.tsx";

export interface Series {
  label: string;
  tone: "mark" | "care" | "bad" | "ok" | "live" | "ink";
  values: readonly (number | null)[];
  form?: "bar" | "line";
}

export interface ChartProps {
  /** What the chart shows, for a reader who does not see it. */
  label: string;
  /** The text under each point, such as a day. */
  points: readonly string[];
  series: readonly Series[];
  format?(value: number): string;
  /** For the lines of the axis, when their values are written in another way. */
  formatTick?(value: number): string;
  /** Bars stand on each other. */
  stacked?: boolean;
  /** Opens the list that a point counts. */
  onPoint?(index: number): void;
  height?: number;
}

// The drawing is loaded with the first chart.
const Drawing = lazy(() => import("./chart-drawing.tsx"));

/** A chart with a table of the same figures. Use `ChartCard` for both with a switch. */
const Chart = (props: ChartProps) => (
  <div className="chart-box" style={{ minHeight: props.height ?? 200 }} role="img" aria-label={props.label}>
    <Suspense>
      <Drawing {...props} />
    </Suspense>
  </div>
);

const ChartTable = ({ label, points, series, format = String }: ChartProps) => (
  <div className="scroll">
    <table className="tbl" aria-label={label}>
      <thead>
        <tr>
          <td />
          {series.map(({ label: name }) => (
            <th key={name} scope="col" className="r">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {points.map((point, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two hours of a day can have the same name.
          <tr key={i}>
            <th scope="row">{point}</th>
            {series.map(({ label: name, values }) => (
              <td key={name} className="r">
                {values[i] === null || values[i] === undefined ? common.none : format(values[i])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** A card with a chart, its legend, and a switch to the table. */
export function ChartCard({ title, beside, ...chart }: ChartProps & { title: string; beside?: ReactNode }) {
  const [isTable, setIsTable] = useState(false);
  return (
    <section className="card">
      <header>
        <h2>{title}</h2>
        {beside}
        <span className="right">
          {chart.series.length > 1 &&
            chart.series.map(({ label, tone }) => (
              <span key={label} className={`key no-phone ${tone}`}>
                <i />
                {label}
              </span>
            ))}
          <IconButton
            icon={isTable ? ChartColumn : Table2}
            label={isTable ? common.actions.viewAsChart : common.actions.viewAsTable}
            onClick={() => setIsTable(!isTable)}
          />
        </span>
      </header>
      {chart.points.length === 0 ? (
        <p className="pad t3">{common.noFigures}</p>
      ) : isTable ? (
        <ChartTable {...chart} />
      ) : (
        <div className="pad">
          <Chart {...chart} />
        </div>
      )}
    </section>
  );
}
