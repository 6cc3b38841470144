import { Link } from "@tanstack/react-router";
import { usePath } from "../../lib/paths.ts";
import { useRead } from "../../lib/queries.ts";
import { accounts as texts } from "../../texts/accounts.ts";
import { Loaded } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";

const { connection: words } = texts;

/** The automations and workers that name a connection. */
export function UsesSection({ connectionId }: { connectionId: string }) {
  const path = usePath();
  const query = useRead("GET /v1/oauth-connections/{id}/uses", { path: { id: connectionId } });
  return (
    <section className="field">
      <h3 className="strong">{words.uses}</h3>
      <Loaded query={query} what={words.usesWhat} rows={1}>
        {({ uses: { automations, automationCount, workers, workerCount } }) =>
          automationCount + workerCount === 0 ? (
            <p className="t3">{words.noUses}</p>
          ) : (
            <ul className="lined">
              {automations.map(({ id, name, status }) => (
                <li key={id} className="row">
                  <span className="t3">{words.automation}</span>
                  <Link className="link grow cut" to={path(`/automations/${id}`)}>
                    {name}
                  </Link>
                  <State kind="automation" value={status} />
                </li>
              ))}
              {workers.map(({ id, name }) => (
                <li key={id} className="row">
                  <span className="t3">{words.worker}</span>
                  <Link className="link grow cut" to={path(`/workers/${id}`)}>
                    {name}
                  </Link>
                </li>
              ))}
              {automationCount > automations.length && (
                <li className="t3">{words.hiddenAutomations(automationCount - automations.length)}</li>
              )}
              {workerCount > workers.length && (
                <li className="t3">{words.hiddenWorkers(workerCount - workers.length)}</li>
              )}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
