import { GitBranch, Plus } from "lucide-react";
import { usePermission } from "../../lib/context.tsx";
import { usePath } from "../../lib/paths.ts";
import type { ListResult } from "../../lib/queries.ts";
import { codeHost as texts } from "../../texts/code-host.ts";
import { LinkButton } from "../../ui/button.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { State, Tag } from "../../ui/state.tsx";
import { DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { type Connector, shortenCommit, shortenRef } from "./types.ts";

const { connectors: words } = texts;

/** The connectors, with what happened to them last. */
export function ConnectorList({
  list,
  selected,
}: {
  list: ListResult<Connector>;
  selected: string | undefined;
}) {
  const path = usePath();
  const mayManage = usePermission("connectors:manage");
  return (
    <div className="card">
      <DataTable
        label={texts.tabs.connectors}
        what={words.what}
        list={list}
        tall
        rowKey={({ id }) => id}
        selected={selected}
        to={({ id }) => ({ to: path(`/code-host/connectors/${id}`) })}
        empty={
          <Empty
            icon={GitBranch}
            title={words.empty}
            text={words.emptyText}
            action={
              mayManage && (
                <LinkButton look="primary" icon={Plus} to={path("/code-host/connectors/new")}>
                  {texts.connect}
                </LinkButton>
              )
            }
          />
        }
        columns={[
          {
            head: words.repository,
            isName: true,
            cell: (row) => (
              <>
                <span className="cut block">{row.name}</span>
                <span className="small t3 mono cut block">
                  {row.repository} · {shortenRef(row.ref)}
                </span>
              </>
            ),
          },
          { head: words.state, cell: (row) => <ConnectorState connector={row} /> },
          { head: words.templates, align: "r", phone: "hide", cell: ({ templateCount }) => templateCount },
          {
            head: words.lastSync,
            align: "r",
            cell: ({ lastSync, syncedCommit, syncedAt }) =>
              lastSync === null ? (
                <span className="t3">{words.never}</span>
              ) : (
                <>
                  <State kind="sync" value={lastSync.status} />
                  <span className="small t3 block">
                    {lastSync.status === "succeeded" && syncedCommit !== null ? (
                      <>
                        <code>{shortenCommit(syncedCommit)}</code> · <Time at={syncedAt} />
                      </>
                    ) : (
                      lastSync.errorCode
                    )}
                  </span>
                </>
              ),
          },
        ]}
      />
    </div>
  );
}

const tones = { active: "ok", disabled: "none", disconnected: "bad" } as const;

export const ConnectorState = ({ connector: { status } }: { connector: Connector }) => (
  <Tag tone={tones[status]}>{words.states[status]}</Tag>
);
