import { type PointerEvent, useLayoutEffect, useRef, useState } from "react";
import { common } from "../texts/common.ts";
import type { ChartProps, Series } from "./chart.tsx";
import { chooseLabels, chooseTicks } from "./chart-scale.ts";

const axis = { left: 44, right: 4, top: 8, bottom: 24 };
const widestBar = 28;

/** Draws bars and lines as SVG. The colours are those of the page, so a change of the theme needs no new drawing. */
export default function ChartDrawing({
  points,
  series,
  format = String,
  formatTick = format,
  stacked = false,
  onPoint,
  height = 200,
}: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [hovered, setHovered] = useState<number>();
  useLayoutEffect(() => {
    const box = host.current!;
    setWidth(box.clientWidth);
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);

  const ticks = chooseTicks(findMax(series, points.length, stacked));
  const inner = {
    width: Math.max(0, width - axis.left - axis.right),
    height: height - axis.top - axis.bottom,
  };
  const slot = points.length > 0 ? inner.width / points.length : 0;
  const x = (index: number) => axis.left + slot * (index + 0.5);
  const y = (value: number) => axis.top + inner.height * (1 - value / (ticks.at(-1) || 1));
  const findPoint = (event: PointerEvent) => {
    const at = Math.floor((event.clientX - host.current!.getBoundingClientRect().left - axis.left) / slot);
    return at >= 0 && at < points.length ? at : undefined;
  };

  return (
    <div
      ref={host}
      className={`plot${onPoint ? " door" : ""}`}
      aria-hidden
      onPointerMove={(event) => setHovered(findPoint(event))}
      onPointerLeave={() => setHovered(undefined)}
      onClick={() => hovered !== undefined && onPoint?.(hovered)}
    >
      {width > 0 && (
        <svg className="chart" width={width} height={height} aria-hidden>
          {ticks.map((tick, i) => (
            <g key={tick}>
              <line
                className={i === 0 ? "grid base" : "grid"}
                x1={axis.left}
                x2={width - axis.right}
                y1={y(tick)}
                y2={y(tick)}
              />
              <text x={axis.left - 8} y={y(tick) + 4} textAnchor="end">
                {formatTick(tick)}
              </text>
            </g>
          ))}
          {chooseLabels(points.length, inner.width).map((index) => (
            <text key={index} x={x(index)} y={height - 6} textAnchor="middle">
              {points[index]}
            </text>
          ))}
          {hovered !== undefined && (
            <rect className="hot" x={x(hovered) - slot / 2} y={axis.top} width={slot} height={inner.height} />
          )}
          <Bars series={series} count={points.length} stacked={stacked} slot={slot} x={x} y={y} />
          {series
            .filter(({ form }) => form === "line")
            .map((each) => (
              <Line key={each.label} series={each} x={x} y={y} />
            ))}
        </svg>
      )}
      {hovered !== undefined && points[hovered] !== undefined && (
        <div className="plot-tip" style={{ left: Math.min(x(hovered) + 12, Math.max(0, width - 160)) }}>
          <b>{points[hovered]}</b>
          {series.map(({ label, values }) => (
            <span key={label} className="row">
              <span className="grow">{label}</span>
              <span className="num strong">
                {values[hovered] == null ? common.none : format(values[hovered])}
              </span>
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

/** The highest point of the chart: of stacked bars, the highest stack. */
function findMax(series: readonly Series[], count: number, stacked: boolean): number {
  const bars = series.filter(({ form = "bar" }) => form === "bar");
  const stacks = Array.from({ length: count }, (_, i) =>
    bars.reduce((sum, { values }) => sum + (values[i] ?? 0), 0),
  );
  const single = series
    .filter((each) => !stacked || each.form === "line")
    .flatMap(({ values }) => values.map((value) => value ?? 0));
  return [...single, ...(stacked ? stacks : [])].reduce((max, value) => Math.max(max, value), 0);
}

interface Scales {
  x(index: number): number;
  y(value: number): number;
}

interface BarsProps extends Scales {
  series: readonly Series[];
  count: number;
  stacked: boolean;
  /** The width of a point. */
  slot: number;
}

function Bars({ series, count, stacked, slot, x, y }: BarsProps) {
  const bars = series.filter(({ form = "bar" }) => form === "bar");
  const group = Math.min(slot * 0.62, widestBar);
  const width = stacked ? group : group / Math.max(1, bars.length);
  return Array.from({ length: count }, (_, index) => {
    let below = 0;
    const drawn = bars.map(({ label, tone, values }, place) => {
      const value = values[index] ?? 0;
      if (value <= 0) return null;
      const from = stacked ? below : 0;
      below += value;
      const top = y(from + value);
      const left = x(index) - group / 2 + (stacked ? 0 : place * width);
      // A hairline separates the parts of a stack.
      const full = y(from) - top;
      const tall = Math.max(1, from > 0 ? full - 1 : full);
      return (
        <rect key={label} className={`c-${tone}`} x={left} y={top} width={width} height={tall} rx={1.5} />
      );
    });
    return <g key={x(index)}>{drawn}</g>;
  });
}

/** A line with gaps where no value is known. */
function Line({ series: { tone, values }, x, y }: Scales & { series: Series }) {
  let isOpen = false;
  const path = values
    .map((value, i) => {
      if (value === null) {
        isOpen = false;
        return "";
      }
      const step = `${isOpen ? "L" : "M"}${x(i)} ${y(value)}`;
      isOpen = true;
      return step;
    })
    .join("");
  return (
    <>
      <path className={`l l-${tone}`} d={path} />
      {values.length === 1 && values[0] != null && (
        <circle className={`c-${tone}`} cx={x(0)} cy={y(values[0])} r={3} />
      )}
    </>
  );
}
