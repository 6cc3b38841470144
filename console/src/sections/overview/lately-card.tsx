import { Link } from "@tanstack/react-router";
import { History } from "lucide-react";
import type { Reply } from "../../lib/api.ts";
import { usePermission } from "../../lib/context.tsx";
import { shortenId } from "../../lib/format.ts";
import { usePath } from "../../lib/paths.ts";
import { useRead } from "../../lib/queries.ts";
import { activity, overview } from "../../texts/overview.ts";
import { Card, MoreLink } from "../../ui/card.tsx";
import { Empty, Loaded } from "../../ui/feedback.tsx";
import { Avatar, State } from "../../ui/state.tsx";
import { Time } from "../../ui/time.tsx";

const texts = overview.lately;
type Recent = Reply<"GET /v1/overview/recent">["items"][number];

/** What people changed. Without the right to read the audit log, the runs that ended. */
export function LatelyCard() {
  const path = usePath();
  const readsAudit = usePermission("audit:read");
  const recent = useRead(
    "GET /v1/overview/recent",
    { query: { limit: 8, ...(readsAudit ? { type: "change" as const } : {}) } },
    { everyMs: 15_000 },
  );
  return (
    <Card title={texts.title} actions={readsAudit && <MoreLink to={path("/audit")}>{texts.audit}</MoreLink>}>
      <Loaded query={recent} what={texts.what}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={History} title={texts.none} text={texts.noneText} />
          ) : (
            <ul>
              {items.map((item) => (
                <li key={item.id} className="item">
                  {item.type === "change" ? <ChangeItem item={item} /> : <RunItem item={item} />}
                  <span className="small t3">
                    <Time at={item.at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

/** Where the subject of a change is shown, below the organization. */
const places: Record<string, (id: string) => string> = {
  automation: (id) => `/automations/${id}`,
  automation_run: (id) => `/runs/${id}`,
  template: (id) => `/templates/${id}`,
  connector: (id) => `/code-host/connectors/${id}`,
  worker: (id) => `/workers/${id}`,
  llm_provider: (id) => `/llm-providers/${id}`,
};

function ChangeItem({ item }: { item: Extract<Recent, { type: "change" }> }) {
  const path = usePath();
  const actor = item.actorName ?? texts.directory;
  const words = activity[item.action] ?? item.action;
  const { id, type } = item.target;
  const place = id === null ? undefined : places[type]?.(id);
  const name = findSubject(item);
  return (
    <>
      <Avatar name={actor} size="s" />
      <p className="grow">
        <span className="strong">{actor}</span> {words}{" "}
        {name !== undefined &&
          (place === undefined ? (
            <span className="t">{name}</span>
          ) : (
            <Link className="link" to={path(place)}>
              {name}
            </Link>
          ))}
      </p>
    </>
  );
}

/** What the words are about. Undefined when they say it already: the organization, or the person themselves. */
function findSubject({ actorMemberId, target: { id, name } }: Extract<Recent, { type: "change" }>) {
  if (id === actorMemberId || id?.startsWith("org_")) return undefined;
  return name ?? (id === null ? undefined : shortenId(id));
}

function RunItem({ item }: { item: Extract<Recent, { type: "run" }> }) {
  const path = usePath();
  return (
    <p className="grow row">
      <State kind="run" value={item.status} />
      <Link className="t cut" to={path(`/runs/${item.id}`)}>
        {item.automationName}
      </Link>
    </p>
  );
}
