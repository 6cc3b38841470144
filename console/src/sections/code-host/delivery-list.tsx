import { Webhook } from "lucide-react";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useList } from "../../lib/queries.ts";
import { codeHost as texts } from "../../texts/code-host.ts";
import { stateWords } from "../../texts/states.ts";
import { Empty } from "../../ui/feedback.tsx";
import { FilterSelect } from "../../ui/filter.tsx";
import { State, Tag } from "../../ui/state.tsx";
import { DataTable } from "../../ui/table.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";
import { Changes } from "./changes.tsx";
import { RefusedList } from "./refused.tsx";
import { type Connector, type Delivery, type Sync, shortenCommit, shortenRef } from "./types.ts";

const { deliveries: words } = texts;
const outcomes = ["accepted", "ignored", "invalid"] as const;
type Outcome = (typeof outcomes)[number];

interface DeliveryListProps {
  connectors: readonly Connector[];
  selected: string | undefined;
}

/** What code hosts sent, also what was refused. New deliveries appear by themselves. */
export function DeliveryList({ connectors, selected }: DeliveryListProps) {
  const { filters, setFilters } = useFilters();
  const path = usePath();
  const isRefused = filters.outcome === "refused";
  const outcome = outcomes.find((value) => value === filters.outcome);
  const { connectorId, event } = filters;
  const list = useList(
    "GET /v1/webhook-deliveries",
    {
      query: {
        ...(outcome ? { outcome } : {}),
        ...(connectorId ? { connectorId } : {}),
        ...(event ? { event } : {}),
      },
    },
    { everyMs: 3_000, enabled: !isRefused },
  );
  const syncs = useList("GET /v1/connector-syncs", { query: { limit: 100 } }, { everyMs: 3_000 });
  const findSync = (id: string) => syncs.rows.find((sync) => sync.id === id);
  const events = [...new Set([...list.rows.map((row) => row.event), ...(event ? [event] : [])])].sort();
  const refusedOf = connectorId ?? connectors[0]?.id;
  return (
    <>
      <div className="filters">
        <Segments<Outcome | "" | "refused">
          label={words.outcome}
          value={isRefused ? "refused" : (outcome ?? "")}
          onChange={(value) => setFilters({ outcome: value })}
          options={[
            { value: "", label: words.all },
            ...outcomes.map((value) => ({ value, label: stateWords.delivery[value] })),
            { value: "refused", label: words.refused },
          ]}
        />
        <FilterSelect
          label={words.connector}
          value={(isRefused ? refusedOf : connectorId) ?? ""}
          onChange={(value) => setFilters({ connectorId: value })}
          options={[
            ...(isRefused ? [] : [{ value: "", label: words.anyConnector }]),
            ...connectors.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        {!isRefused && (
          <FilterSelect
            label={words.event}
            value={event ?? ""}
            onChange={(value) => setFilters({ event: value })}
            options={[
              { value: "", label: words.anyEvent },
              ...events.map((value) => ({ value, label: value })),
            ]}
          />
        )}
      </div>
      {isRefused ? (
        refusedOf ? (
          <RefusedList key={refusedOf} connectorId={refusedOf} />
        ) : (
          <Empty title={texts.refused.noConnector} />
        )
      ) : (
        <>
          <div className="card">
            <DataTable
              label={texts.tabs.deliveries}
              what={words.what}
              list={list}
              tall
              rowKey={({ id }) => id}
              selected={selected}
              to={({ id }) => ({ to: path(`/code-host/deliveries/${id}`), search: filters })}
              empty={
                outcome || connectorId || event ? (
                  <Empty title={words.emptyFiltered} />
                ) : (
                  <Empty icon={Webhook} title={words.empty} text={words.emptyText} />
                )
              }
              columns={[
                { head: words.outcome, cell: (row) => <State kind="delivery" value={row.outcome} /> },
                { head: words.event, isName: true, cell: (row) => <EventCell delivery={row} /> },
                {
                  head: words.followed,
                  phone: "hide",
                  cell: (row) => <Followed delivery={row} findSync={findSync} />,
                },
                { head: words.received, align: "r", cell: ({ receivedAt }) => <Time at={receivedAt} /> },
              ]}
            />
          </div>
          <p className="small t3 undern">{words.note}</p>
        </>
      )}
    </>
  );
}

function EventCell({ delivery }: { delivery: Delivery }) {
  const { event, repository, repeats, ref, head, action } = delivery;
  const detail = [ref && shortenRef(ref), head && shortenCommit(head)].filter(Boolean).join(" · ");
  return (
    <>
      <span className="row">
        <code className="strong one-line">{event}</code>
        {repository !== null && <span className="t cut">{repository}</span>}
        {repeats > 0 && <Tag>{words.times(repeats + 1)}</Tag>}
      </span>
      {(detail || action) && <span className="small t3 mono cut block">{detail || action}</span>}
    </>
  );
}

interface FollowedProps {
  delivery: Delivery;
  findSync(id: string): Sync | undefined;
}

/** What a delivery led to: the state of its sync, or why there is none. */
function Followed({ delivery, findSync }: FollowedProps) {
  const { alteredAt, outcome, reason, targets } = delivery;
  if (alteredAt !== null)
    return (
      <>
        <State kind="delivery" value="altered" />
        <span className="small t3 block">{words.alteredText}</span>
      </>
    );
  const syncId = targets.find((target) => target.syncId !== null)?.syncId;
  if (!syncId)
    return (
      <>
        <span className="t3">{outcome === "accepted" ? words.nothingNew : words.nothing}</span>
        <span className="small t3 block">{reason}</span>
      </>
    );
  const sync = findSync(syncId);
  if (!sync) return <span className="t3">{words.sync}</span>;
  return (
    <>
      <State kind="sync" value={sync.status} />
      <span className="small t3 block">
        {sync.status === "succeeded" ? (
          <Changes changes={sync.changes} />
        ) : (
          (sync.error?.code ?? words.attempt(sync.attempt))
        )}
      </span>
    </>
  );
}
