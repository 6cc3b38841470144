import type { WorkerUpgrade } from "@signalbox/client";
import { useList, useRead } from "../../lib/queries.ts";
import { workers } from "../../texts/workers.ts";
import { Card, Pairs } from "../../ui/card.tsx";
import { Empty, Loaded } from "../../ui/feedback.tsx";
import { Tag } from "../../ui/state.tsx";
import type { Tone } from "../../ui/states.ts";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

const texts = workers.runtime;
const healthTones: Record<string, Tone> = {
  healthy: "ok",
  degraded: "care",
  failing: "bad",
  unknown: "none",
};

export function RuntimeView({ id }: { id: string }) {
  const query = useRead("GET /v1/workers/{id}/runtime", { path: { id } }, { everyMs: 10_000 });
  return (
    <Loaded query={query} what={workers.what.runtime}>
      {({ runtime }) => (
        <div className="stack">
          <Card padded>
            <Pairs
              items={[
                [texts.version, <code key="version">{runtime.version ?? "–"}</code>],
                [texts.api, runtime.apiVersion ?? "–"],
                [texts.platform, [runtime.platform, runtime.arch].filter(Boolean).join(", ") || "–"],
                [
                  texts.health,
                  <Tag key="health" tone={healthTones[runtime.health] ?? "none"}>
                    {texts.healths[runtime.health] ?? runtime.health}
                  </Tag>,
                ],
                [
                  texts.configuration,
                  texts.revision(runtime.configurationRevision, runtime.desiredConfigurationRevision),
                ],
                [texts.reported, <Time key="reported" at={runtime.reportedAt} />],
                runtime.capabilities.length > 0 && [
                  texts.capabilities,
                  <span key="capabilities" className="row wrap">
                    {runtime.capabilities.map((capability) => (
                      <Tag key={capability} mono>
                        {capability}
                      </Tag>
                    ))}
                  </span>,
                ],
                Object.keys(runtime.limits).length > 0 && [
                  texts.limits,
                  Object.entries(runtime.limits)
                    .map(([name, value]) => `${name}: ${value}`)
                    .join(", "),
                ],
              ]}
            />
          </Card>
          {runtime.services.length > 0 && (
            <Card title={texts.services}>
              <ul>
                {runtime.services.map(({ name, status, message }) => (
                  <li key={name} className="item">
                    <span className="grow">
                      <span className="strong">{name}</span>
                      {message && <span className="small t3 wrap-text">{message}</span>}
                    </span>
                    <Tag tone={healthTones[status] ?? "none"}>{texts.healths[status] ?? status}</Tag>
                  </li>
                ))}
              </ul>
            </Card>
          )}
        </div>
      )}
    </Loaded>
  );
}

const upgradeTones: Record<string, Tone> = {
  requested: "live",
  acknowledged: "live",
  draining: "live",
  upgraded: "ok",
  failed: "bad",
  timed_out: "bad",
  cancelled: "none",
};

export function Upgrades({ id }: { id: string }) {
  const list = useList("GET /v1/workers/{id}/runtime/upgrades", { path: { id } }, { everyMs: 5_000 });
  const columns: Column<WorkerUpgrade>[] = [
    {
      head: workers.columns.version,
      cell: ({ fromVersion, version, reason }) => (
        <>
          <code className="strong">{workers.fromTo(fromVersion, version)}</code>
          {reason !== null && <span className="small bad wrap-text">{reason}</span>}
        </>
      ),
    },
    {
      head: workers.columns.state,
      cell: ({ state }) => (
        <Tag tone={upgradeTones[state] ?? "none"}>{workers.upgradeStates[state] ?? state}</Tag>
      ),
    },
    { head: workers.columns.created, align: "r", cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
  return (
    <Card>
      <DataTable
        label={workers.parts.upgrades}
        what={workers.what.upgrades}
        list={list}
        columns={columns}
        rowKey={(upgrade) => upgrade.id}
        empty={<Empty title={workers.empty.upgrades} />}
      />
    </Card>
  );
}
