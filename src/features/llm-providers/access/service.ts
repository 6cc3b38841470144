import type { MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { invalidField, notFound } from "../../../platform/errors.ts";
import { isId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { requireProvider } from "../find.ts";
import {
  addForWorker,
  type GrantRow,
  insertGrant,
  listGrants,
  listProviderIdsOfWorker,
  lockTeams,
  removeForPeople,
  removeForWorker,
} from "../grants/index.ts";
import * as providers from "../store.ts";
import type { LlmProviderAccess, NewAccess } from "./contract.ts";

export async function read(ctx: MemberCtx, id: string) {
  const provider = await requireProvider(ctx.db, ctx.orgId, null, id);
  return { access: await describeAccess(ctx.db, ctx.orgId, provider) };
}

async function describeAccess(
  db: Db,
  orgId: OrgId,
  { id, models }: Pick<providers.ProviderRow, "id" | "models">,
): Promise<LlmProviderAccess> {
  const grants = await listGrants(db, orgId, id);
  const listIds = (kind: GrantRow["kind"]) =>
    grants.filter((grant) => grant.kind === kind).map(({ subjectId }) => subjectId);
  return {
    organization: listIds("organization").length > 0,
    teamIds: listIds("team"),
    memberIds: listIds("member"),
    workerIds: listIds("worker"),
    models,
    modelsBySubject: Object.fromEntries(
      grants.flatMap(({ subjectId, models }) => (models === null ? [] : [[subjectId, models]])),
    ),
  };
}

export const replace = (ctx: MemberCtx, id: string, given: NewAccess) =>
  ctx.db.transaction(async (tx) => {
    const { orgId } = ctx;
    const provider = isId("llp", id) ? await providers.lock(tx, orgId, id) : undefined;
    if (!provider) throw notFound("llm_provider");
    const before = await describeAccess(tx, orgId, provider);
    await lockTeams(tx, orgId, given.teamIds);
    await removeForPeople(tx, orgId, provider.id);
    for (const { path, ...grant } of listNewGrants(orgId, given)) {
      if ((await insertGrant(tx, orgId, provider.id, grant)) === 0)
        throw invalidField(path, `There is no such ${grant.kind} here.`);
    }
    const models = given.models === undefined ? provider.models : given.models;
    if (given.models !== undefined) await providers.update(tx, orgId, provider.id, { ...provider, models });
    const access = await describeAccess(tx, orgId, { ...provider, models });
    const target = { type: "llm_provider", id };
    await record(ctx, tx, {
      action: "llm_provider.access_changed",
      target,
      before: { ...before },
      after: { ...access },
    });
    return { access };
  });

type NewGrant = GrantRow & { path: (string | number)[] };

function listNewGrants(
  orgId: OrgId,
  { organization, teamIds, memberIds, modelsBySubject }: NewAccess,
): NewGrant[] {
  const toGrant = (kind: GrantRow["kind"], field: string) => (subjectId: string, i: number) => ({
    kind,
    subjectId,
    models: Object.hasOwn(modelsBySubject, subjectId) ? modelsBySubject[subjectId]! : null,
    path: [field, i],
  });
  const grants = [
    ...(organization ? [orgId] : []).map(toGrant("organization", "organization")),
    ...teamIds.map(toGrant("team", "teamIds")),
    ...memberIds.map(toGrant("member", "memberIds")),
  ];
  const unknown = Object.keys(modelsBySubject).find(
    (key) => !grants.some(({ subjectId }) => subjectId === key),
  );
  if (unknown !== undefined)
    throw invalidField(
      ["modelsBySubject", unknown],
      "Models can only be limited for the organization, a team or a member that is granted the provider in this request.",
    );
  return grants;
}

/** Refuses ids that are not providers of the organization. `path` names the field of the request. */
export async function checkProviderIds(
  db: Db,
  orgId: OrgId,
  ids: readonly string[],
  path: string[] = ["llmProviderIds"],
): Promise<void> {
  if (ids.length === 0) return;
  const existing = new Set(await providers.listExisting(db, orgId, ids));
  const at = ids.findIndex((id) => !existing.has(id));
  if (at >= 0) throw invalidField([...path, at], "There is no such LLM provider here.");
}

/**
 * Replaces the providers that a worker may use, in the transaction of the caller, who checks the permission
 * `llm_providers:manage` and records the change. Removing a worker removes its grants.
 */
export async function setWorkerGrants(
  tx: Db,
  orgId: OrgId,
  workerId: string,
  providerIds: readonly string[],
): Promise<void> {
  await checkProviderIds(tx, orgId, providerIds);
  await removeForWorker(tx, orgId, workerId, providerIds);
  await addForWorker(tx, orgId, workerId, providerIds);
}

export const listWorkerGrants = (db: Db, orgId: OrgId, workerId: string): Promise<string[]> =>
  listProviderIdsOfWorker(db, orgId, workerId);
