import { Link } from "@tanstack/react-router";
import type { Reply } from "../../../lib/api.ts";
import { formatBytes, formatDuration, shortenId } from "../../../lib/format.ts";
import { usePath } from "../../../lib/paths.ts";
import { useRead } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Pairs } from "../../../ui/card.tsx";
import { Json } from "../../../ui/code.tsx";
import { Loaded } from "../../../ui/feedback.tsx";
import { Inspector } from "../../../ui/page.tsx";
import { State } from "../../../ui/state.tsx";
import { Id, Time } from "../../../ui/time.tsx";

const { calls: words } = texts;
const read = "GET /v1/mcp-calls/{id}" as const;
type CallDetail = Reply<typeof read>["call"];

/** One call beside the list of all calls. */
export function CallInspector({ id, onClose }: { id: string; onClose(): void }) {
  return (
    <Inspector title={words.one} onClose={onClose}>
      <CallDetails id={id} />
    </Inspector>
  );
}

/** Who called what, how it ended, and what was sent if that is kept. */
export function CallDetails({ id }: { id: string }) {
  const query = useRead(read, { path: { id } });
  const data = query.data?.call.id === id ? query.data : undefined;
  return (
    <Loaded query={{ ...query, data }} what={words.one}>
      {({ call }) => (
        <>
          <h3 className="row wrap">
            <code className="t strong wrap-any">{call.tool}</code>
            <State kind="call" value={call.outcome} boxed />
          </h3>
          <Facts call={call} />
          <Payload call={call} />
        </>
      )}
    </Loaded>
  );
}

function Facts({ call }: { call: CallDetail }) {
  const path = usePath();
  const { connectionId, connectionName, memberId, memberName, runId, attempt } = call;
  return (
    <Pairs
      items={[
        [
          words.server,
          connectionName === null ? (
            words.removed
          ) : (
            <Link key="server" className="link" to={path(`/connections/mcp/${connectionId}`)}>
              {connectionName}
            </Link>
          ),
        ],
        [
          words.member,
          memberId === null || memberName === null ? (
            words.nobody
          ) : (
            <Link key="member" className="link" to={path(`/people/members/${memberId}`)}>
              {memberName}
            </Link>
          ),
        ],
        call.code !== null && [words.code, <code key="code">{call.code}</code>],
        [words.took, formatDuration(call.ms)],
        [words.size, words.sizes(formatBytes(call.requestBytes), formatBytes(call.resultBytes))],
        [words.credential, words.credentials[call.credential] ?? call.credential],
        call.client !== null && [words.client, call.client],
        runId !== null && [
          words.run,
          <span key="run">
            <Link className="link" to={path(`/runs/${runId}`)}>
              {shortenId(runId)}
            </Link>{" "}
            {attempt !== null && <span className="t3">{words.attempt(attempt)}</span>}
          </span>,
        ],
        [words.when, <Time key="when" at={call.createdAt} form="date" />],
        [words.id, <Id key="id" id={call.id} />],
      ]}
    />
  );
}

function Payload({ call: { payload } }: { call: CallDetail }) {
  if (payload === null) return <p className="note">{words.notKept}</p>;
  return (
    <section className="field">
      <h3 className="sub-title">{words.payload}</h3>
      <Json value={payload.arguments} title={words.request} />
      <Json value={payload.result} title={words.result} />
      <p className="hint">
        {words.keptUntil} <Time at={payload.expiresAt} form="date" />
      </p>
    </section>
  );
}
