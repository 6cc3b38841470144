import type { MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { invalidField } from "../../../platform/errors.ts";
import { record } from "../../audit/index.ts";
import { lockConnection, requireId } from "../find.ts";
import * as store from "../grants/index.ts";
import type { Access, ConnectionId, NewAccess } from "../model.ts";
import { announceToolChange } from "../tool-changes.ts";

export async function read(ctx: MemberCtx, id: string) {
  const connectionId = await requireId(ctx, id);
  return { access: await readAccess(ctx.db, ctx.orgId, connectionId) };
}

export async function readAccess(db: Db, orgId: OrgId, id: ConnectionId): Promise<Access> {
  const grants = await store.listGrants(db, orgId, id);
  const listIds = (kind: store.SubjectKind) =>
    grants.filter((grant) => grant.kind === kind).map(({ subjectId }) => subjectId);
  return {
    organization: listIds("organization").length > 0,
    teamIds: listIds("team"),
    memberIds: listIds("member"),
    automationIds: listIds("automation"),
  };
}

export const replace = (ctx: MemberCtx, id: string, given: NewAccess) =>
  ctx.db.transaction(async (tx) => {
    const { id: connectionId } = await lockConnection(ctx, tx, id);
    const before = await readAccess(tx, ctx.orgId, connectionId);
    await store.removeGrants(tx, ctx.orgId, connectionId);
    const access = await addGrants(tx, ctx.orgId, connectionId, given, []);
    await announceToolChange(ctx, tx, ctx.orgId);
    await record(ctx, tx, {
      action: "mcp_connection.access_changed",
      target: { type: "mcp_connection", id: connectionId },
      before: { ...before },
      after: { ...access },
    });
    return { access };
  });

/** Adds grants, in the transaction of the caller. `path` leads to the field of the request. */
export async function addGrants(
  tx: Db,
  orgId: OrgId,
  id: ConnectionId,
  { organization, teamIds, memberIds, automationIds }: NewAccess,
  path: string[],
): Promise<Access> {
  await store.lockTeams(tx, orgId, teamIds);
  const toGrants = (kind: store.SubjectKind, field: string, ids: readonly string[]) =>
    ids.map((subjectId, i) => ({ kind, subjectId, path: [...path, field, i] }));
  const grants = [
    ...toGrants("organization", "organization", organization ? [orgId] : []),
    ...toGrants("team", "teamIds", teamIds),
    ...toGrants("member", "memberIds", memberIds),
    ...toGrants("automation", "automationIds", automationIds),
  ];
  for (const grant of grants)
    if ((await store.insertGrant(tx, orgId, id, grant)) === 0)
      throw invalidField(grant.path, `There is no such ${grant.kind} here.`);
  return readAccess(tx, orgId, id);
}
