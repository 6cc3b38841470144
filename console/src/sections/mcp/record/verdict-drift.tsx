import { ArrowRight } from "lucide-react";
import { usePermission } from "../../../lib/context.tsx";
import { showInvisible } from "../../../lib/invisible.ts";
import { useAction } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { Refusal } from "../../../ui/refusal.tsx";
import { Time } from "../../../ui/time.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { type ConnectionDetail, changed } from "../types.ts";
import { MoveIssuer } from "./move-issuer.tsx";

const { verdictDrift: words } = texts;

/** What changed in the way a server is connected, and the way to accept it. */
export function VerdictDrift({ connection }: { connection: ConnectionDetail }) {
  const { id, verdictDrift } = connection;
  const moved = verdictDrift.find(({ field }) => field === "authorizationServer");
  const mayManage = usePermission("mcp_connections:manage");
  const toast = useToast();
  const accept = useAction("POST /v1/mcp-connections/{id}/discover", {
    changes: changed,
    onDone: () => toast(words.accepted),
  });
  return (
    <section className="card care-card">
      <header>
        <h2>{moved ? words.moved : words.title}</h2>
      </header>
      <div className="pad stack-s">
        <p>{moved ? words.movedText : words.text}</p>
        <ul className="lined">
          {verdictDrift.map(({ field, before, after, seenAt }) => (
            <li key={field} className="drift-row">
              <span className="strong">{words.fields[field] ?? field}</span>
              <span className="drift-values">
                <code className="wrap-any">{before === null ? words.none : showInvisible(before)}</code>
                <ArrowRight className="i s t3" aria-hidden />
                <code className="wrap-any t">{after === null ? words.none : showInvisible(after)}</code>
              </span>
              <span className="small t3">
                {words.seen} <Time at={seenAt} />
              </span>
            </li>
          ))}
        </ul>
        <Refusal of={accept} />
        {mayManage && moved && moved.after !== null && (
          <MoveIssuer connection={connection} issuers={moved.after.split(" ")} />
        )}
        {mayManage && !moved && (
          <div className="form-acts">
            <Button
              busy={accept.isRunning}
              onClick={() => accept.start({ path: { id }, body: { accept: true } })}
            >
              {words.accept}
            </Button>
          </div>
        )}
      </div>
    </section>
  );
}
