import type { Worker } from "@signalbox/client";
import { Link, useParams } from "@tanstack/react-router";
import { shortenId } from "../../lib/format.ts";
import { useMemberNames } from "../../lib/member-names.ts";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useRead } from "../../lib/queries.ts";
import { workers as texts } from "../../texts/workers.ts";
import { Pairs } from "../../ui/card.tsx";
import { RecordPage } from "../../ui/page.tsx";
import { PendingRecord } from "../../ui/pending-record.tsx";
import { State, Tag } from "../../ui/state.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { Id, Time } from "../../ui/time.tsx";
import { Assigned } from "./assigned.tsx";
import { WorkerActions } from "./worker-actions.tsx";
import { WorkerActivityList } from "./worker-activity.tsx";
import { Version } from "./worker-list.tsx";
import { RuntimeView, Upgrades } from "./worker-runtime.tsx";

const parts = ["activity", "runtime", "upgrades", "assigned"] as const;

export default function WorkerPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const path = usePath();
  const { filters, setFilters } = useFilters();
  const query = useRead("GET /v1/workers/{id}", { path: { id } }, { everyMs: 5_000 });
  const part = parts.find((candidate) => candidate === filters.part) ?? "activity";
  const list = { label: texts.title, to: path("/workers") };
  if (!query.data) return <PendingRecord id={id} list={list} query={query} what={texts.what.worker} />;
  const { worker } = query.data;
  return (
    <RecordPage
      name={worker.name}
      crumbs={[list, { label: worker.name }]}
      title={worker.name}
      beside={<State kind="worker" value={worker.state} boxed />}
      lead={
        worker.pause
          ? texts.record.pausedSince(worker.pause.note)
          : worker.version !== null && <Version worker={worker} />
      }
      barActions={<WorkerActions worker={worker} />}
      rail={<Rail worker={worker} />}
    >
      <div className="filters">
        <Segments
          label={texts.parts.label}
          value={part}
          onChange={(value) =>
            setFilters({ part: value === "activity" ? undefined : value }, { replace: false })
          }
          options={parts.map((value) => ({ value, label: texts.parts[value] }))}
        />
      </div>
      {part === "activity" && <WorkerActivityList id={id} />}
      {part === "runtime" && <RuntimeView id={id} />}
      {part === "upgrades" && <Upgrades id={id} />}
      {part === "assigned" && <Assigned key={worker.id} worker={worker} />}
    </RecordPage>
  );
}

function Rail({ worker }: { worker: Worker }) {
  const path = usePath();
  const nameOf = useMemberNames();
  const { record } = texts;
  return (
    <>
      <section>
        <h2>{record.runs}</h2>
        {worker.runIds.length === 0 ? (
          <p className="t3">{record.noRuns}</p>
        ) : (
          <ul className="stack-s">
            {worker.runIds.map((runId) => (
              <li key={runId}>
                <Link to={path(`/runs/${runId}`)} className="link">
                  <code>{shortenId(runId)}</code>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section>
        <h2>{record.details}</h2>
        <Pairs
          items={[
            [record.id, <Id key="id" id={worker.id} />],
            [record.kind, texts.kinds[worker.kind]],
            worker.ownerId !== null && [record.owner, nameOf(worker.ownerId)],
            worker.labels.length > 0 && [
              record.labels,
              worker.labels.map((label) => <Tag key={label}>{label}</Tag>),
            ],
            [record.liveness, record.values[worker.liveness] ?? worker.liveness],
            [record.reachability, record.values[worker.reachability] ?? worker.reachability],
            [record.freshness, record.values[worker.freshness] ?? worker.freshness],
            [texts.columns.seen, <Time key="seen" at={worker.lastSeenAt} />],
            [record.created, <Time key="created" at={worker.createdAt} form="date" />],
            [record.removed, <Time key="removed" at={worker.removedAt} form="date" />],
          ]}
        />
      </section>
    </>
  );
}
