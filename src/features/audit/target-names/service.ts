import type { OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { State } from "../entry.ts";
import * as store from "./store.ts";

/** What of an entry says the name of its target. */
export interface NamedChange {
  action: string;
  targetType: string;
  targetId: string | null;
  before: State | null;
  after: State | null;
}

/**
 * The name of each entry's target: the one in the entry, otherwise the present one, and for a deleted record the last
 * one in the log. `orgId` is null for the log of the instance. Takes at most two statements for all entries.
 */
export async function findTargetNames(
  db: Db,
  orgId: OrgId | null,
  entries: readonly NamedChange[],
): Promise<(string | null)[]> {
  const own = entries.map(findOwnName);
  const targets = new Map<string, { type: string; id: string }>();
  for (const [place, { targetType: type, targetId: id }] of entries.entries())
    if (own[place] === undefined && id !== null) targets.set(toKey(type, id), { type, id });
  const found = await findNames(db, orgId, [...targets.values()]);
  return entries.map(
    ({ targetType, targetId }, place) =>
      own[place] ?? (targetId === null ? undefined : found.get(toKey(targetType, targetId))) ?? null,
  );
}

type Names = Map<string, string>;

async function findNames(
  db: Db,
  orgId: OrgId | null,
  targets: { type: string; id: string }[],
): Promise<Names> {
  const names: Names = new Map();
  if (targets.length === 0) return names;
  if (orgId === null) {
    const rows = await store.listInstanceNamesAcrossOrganizations(
      db,
      targets.map(({ id }) => id),
    );
    const byId = new Map(rows.map(({ id, name }) => [id, name]));
    for (const { type, id } of targets) if (byId.has(id)) names.set(toKey(type, id), byId.get(id)!);
    return names;
  }
  for (const { type, id, name } of await store.listNames(db, orgId, targets))
    if (name !== null) names.set(toKey(type, id), name);
  const deleted = targets.filter(({ type, id }) => !names.has(toKey(type, id)));
  if (deleted.length === 0) return names;
  for (const { before, after, ...row } of await store.listNewestEntries(
    db,
    orgId,
    deleted.map(({ id }) => id),
  )) {
    const key = toKey(row.targetType, row.targetId);
    const name = findOwnName({ ...row, before: parse(before), after: parse(after) });
    if (name !== undefined && !names.has(key)) names.set(key, name);
  }
  return names;
}

const toKey = (type: string, id: string) => `${type} ${id}`;
const parse = (state: string | null): State | null => (state === null ? null : JSON.parse(state));

/** The fields of a state that name the target, where it is not `name` or `email`. */
const nameFields: Record<string, string> = {
  llm_price: "model",
  mcp_approval: "tool",
  mcp_client: "clientName",
  mcp_discovery: "url",
  scim_group: "displayName",
  scim_user: "userName",
  sso_domain: "domain",
  webhook_endpoint: "url",
  worker_rollout: "version",
};

/** The states of these actions name a key, token or passkey of the target. */
const namesPart = /^(?:llm_provider\.key|scim_connector\.token|user\.passkey)_/;

function findOwnName({ action, targetType, before, after }: NamedChange): string | undefined {
  if (namesPart.test(action)) return undefined;
  const given = nameFields[targetType];
  const fields = given === undefined ? ["name", "email"] : [given];
  const values = fields.flatMap((field) => [after?.[field], before?.[field]]);
  return values.find((value): value is string => typeof value === "string" && value !== "");
}
