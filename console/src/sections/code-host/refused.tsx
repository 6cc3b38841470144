import { ShieldCheck } from "lucide-react";
import type { Item } from "../../lib/api.ts";
import { type ListResult, useList } from "../../lib/queries.ts";
import { codeHost as texts } from "../../texts/code-host.ts";
import { Empty } from "../../ui/feedback.tsx";
import { DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

const { refused: words } = texts;
const operation = "GET /v1/connectors/{id}/refused-deliveries" as const;
type Refused = Item<typeof operation>;

const useRefused = (connectorId: string): ListResult<Refused> =>
  useList(operation, { path: { id: connectorId } }, { everyMs: 4_000 });

/** Deliveries that were refused because of their signature, as a list of its own. */
export function RefusedList({ connectorId }: { connectorId: string }) {
  const list = useRefused(connectorId);
  return (
    <>
      <div className="card">
        <DataTable
          label={words.title}
          what={words.what}
          list={list}
          rowKey={({ id }) => id}
          empty={<Empty icon={ShieldCheck} title={words.empty} text={words.emptyText} />}
          columns={[
            { head: words.reason, isName: true, cell: (row) => <Reason refused={row} /> },
            { head: words.address, cell: ({ address }) => <code>{address}</code> },
            { head: words.dialect, phone: "hide", cell: (row) => describeDialect(row) },
            { head: words.when, align: "r", cell: ({ refusedAt }) => <Time at={refusedAt} /> },
          ]}
        />
      </div>
      <p className="small t3 undern">{words.note}</p>
    </>
  );
}

/** The same in the inspector of a connector. Absent while nothing was refused. */
export function RefusedSection({ connectorId }: { connectorId: string }) {
  const { rows } = useRefused(connectorId);
  if (rows.length === 0) return null;
  return (
    <section className="field">
      <h3 className="strong">{words.title}</h3>
      <ul className="lined">
        {rows.slice(0, 5).map((row) => (
          <li key={row.id} className="row">
            <span className="grow">
              <Reason refused={row} /> <span className="t3">{row.address}</span>
            </span>
            <span className="t3">
              <Time at={row.refusedAt} />
            </span>
          </li>
        ))}
      </ul>
      <p className="hint">{words.note}</p>
    </section>
  );
}

const Reason = ({ refused: { reason } }: { refused: Refused }) => (
  <span className="bad">{words.reasons[reason] ?? reason}</span>
);

const describeDialect = ({ dialect }: Refused): string =>
  dialect === null ? words.unknown : texts.kinds[dialect];
