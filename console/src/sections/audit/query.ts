import { audit as texts } from "../../texts/audit.ts";
import type { AuditEvent, AuditQuery } from "./types.ts";

type Filters = Readonly<Record<string, string | undefined>>;

/** The filters of the address as the query of the API. Days are days in the reader's zone. */
export function createQuery(filters: Filters): AuditQuery {
  const { action, actorId, credential, targetId, from, to } = filters;
  const fromAt = from ? findMidnight(from, 0) : undefined;
  const toAt = to ? findMidnight(to, 1) : undefined;
  return {
    ...(action ? { action } : {}),
    ...(actorId ? { actorId } : {}),
    ...(credential ? { credential: credential as NonNullable<AuditQuery["credential"]> } : {}),
    ...(targetId ? { targetId } : {}),
    ...(fromAt === undefined ? {} : { from: fromAt }),
    ...(toAt === undefined ? {} : { to: toAt }),
  };
}

/** The beginning of a day in the reader's zone, `days` later. Undefined when the text is no day. */
function findMidnight(text: string, days: number): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(day) + days).getTime();
}

const spellings: Record<string, string> = {
  api: "API",
  llm: "LLM",
  mcp: "MCP",
  oauth: "OAuth",
  scim: "SCIM",
  sso: "SSO",
};

/** `api_key.created` as words: "API key created". */
export function describeAction(action: string): string {
  const text = action
    .split(/[._]/)
    .map((word) => spellings[word] ?? word)
    .join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const describeActor = ({ actor }: AuditEvent): string =>
  actor.name ?? (actor.credential === "system" ? texts.credentials.system! : texts.unknownActor);

/** A state of an entry as text with one field a line, for a comparison. */
export const formatState = (state: Record<string, unknown> | null): string =>
  state === null
    ? ""
    : Object.entries(state)
        .map(([name, value]) => `${name}: ${JSON.stringify(value, null, 2)}`)
        .join("\n");
