import { useFilters } from "../../lib/paths.ts";
import { useRead } from "../../lib/queries.ts";
import { audit as texts } from "../../texts/audit.ts";
import { Button } from "../../ui/button.tsx";
import { Pairs } from "../../ui/card.tsx";
import { Json } from "../../ui/code.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Diff } from "../../ui/diff.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { Inspector } from "../../ui/page.tsx";
import { Id, Time } from "../../ui/time.tsx";
import { describeAction, describeActor, formatState } from "./query.ts";
import type { AuditEvent } from "./types.ts";

const { entry: words, filters: filterWords } = texts;

/** One entry: who, with what, and the fields before and after. */
export function EntryInspector({ id, onClose }: { id: string; onClose(): void }) {
  const query = useRead("GET /v1/audit-events/{id}", { path: { id } });
  const entry = query.data?.auditEvent.id === id ? query.data.auditEvent : undefined;
  return (
    <Inspector
      title={entry ? describeAction(entry.action) : texts.one}
      lead={
        entry && (
          <>
            {entry.target.name !== null && <>{entry.target.name} · </>}
            {describeActor(entry)} · <Time at={entry.at} form="date" />
          </>
        )
      }
      onClose={onClose}
    >
      <Loaded query={{ ...query, data: entry }} what={texts.one}>
        {(shown) => (
          <>
            <Change entry={shown} />
            <Facts entry={shown} />
            <Narrow entry={shown} />
          </>
        )}
      </Loaded>
    </Inspector>
  );
}

/** Both states compared, or the only one. */
function Change({ entry: { before, after } }: { entry: AuditEvent }) {
  if (before === null && after === null) return <p className="note">{words.nothing}</p>;
  if (before === null) return <Json value={after} title={words.after} />;
  if (after === null) return <Json value={before} title={words.before} />;
  return (
    <section className="card" aria-label={words.changed}>
      <header>
        <h3 className="strong">{words.changed}</h3>
      </header>
      <Diff before={formatState(before)} after={formatState(after)} />
    </section>
  );
}

const Facts = ({ entry }: { entry: AuditEvent }) => (
  <Pairs
    items={[
      [words.who, describeActor(entry)],
      [
        words.credential,
        <span key="credential" className="row">
          {texts.credentials[entry.actor.credential]}
          {entry.actor.credentialId && <Id id={entry.actor.credentialId} />}
        </span>,
      ],
      [
        words.target,
        <span key="target" className="row wrap">
          {entry.target.name !== null && <span className="breaks strong">{entry.target.name}</span>}
          {describeAction(entry.target.type)}
          {entry.target.id && <Id id={entry.target.id} />}
        </span>,
      ],
      entry.address !== null && [words.address, <code key="address">{entry.address}</code>],
      entry.userAgent !== null && [
        words.userAgent,
        <span key="agent" className="breaks">
          {entry.userAgent}
        </span>,
      ],
      entry.requestId !== null && [words.request, <Id key="request" id={entry.requestId} />],
      [words.sequence, entry.sequence],
      [words.hash, <Hash key="hash" value={entry.hash} />],
      [words.previousHash, <Hash key="previous" value={entry.previousHash} />],
    ]}
  />
);

const Hash = ({ value }: { value: string }) => <CopyText value={value} shown={`${value.slice(0, 16)}…`} />;

/** Shows similar entries only. */
function Narrow({ entry: { action, actor, target } }: { entry: AuditEvent }) {
  const { setFilters } = useFilters();
  const actorId = actor.memberId ?? actor.userId;
  const narrow = (changes: Record<string, string>) => setFilters(changes, { replace: false });
  return (
    <div className="row wrap">
      <Button size="s" onClick={() => narrow({ action })}>
        {filterWords.onlyAction}
      </Button>
      {actorId && (
        <Button size="s" onClick={() => narrow({ actorId })}>
          {filterWords.onlyActor}
        </Button>
      )}
      {target.id && (
        <Button size="s" onClick={() => narrow({ targetId: target.id! })}>
          {filterWords.onlyTarget}
        </Button>
      )}
    </div>
  );
}
