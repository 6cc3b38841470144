import { useList } from "../../lib/queries.ts";
import { accounts as texts } from "../../texts/accounts.ts";
import { Failure } from "../../ui/feedback.tsx";
import { Time } from "../../ui/time.tsx";

const { connection: words } = texts;

/** What happened to a connection, newest first. */
export function EventsSection({ connectionId }: { connectionId: string }) {
  const list = useList("GET /v1/oauth-connections/{id}/events", {
    path: { id: connectionId },
    query: { limit: 10 },
  });
  if (list.error) return <Failure error={list.error} what={words.eventsWhat} onRetry={list.retry} />;
  return (
    <section className="field">
      <h3 className="strong">{words.events}</h3>
      {!list.isLoading && list.rows.length === 0 && <p className="t3">{words.noEvents}</p>}
      <ul className="lined">
        {list.rows.slice(0, 10).map(({ id, type, createdAt, credential }) => (
          <li key={id} className="row">
            <span className="grow">
              {words.eventTypes[type] ?? type}
              {credential && <span className="t3"> · {credential}</span>}
            </span>
            <span className="t3">
              <Time at={createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
