import type { MachineCtx, MemberCtx, Membership } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, forbidden, notFound } from "../../../platform/errors.ts";
import { createMembership, findMembership } from "../../credentials/index.ts";
import type { Permission } from "../../permissions/index.ts";
import * as store from "./store.ts";

/** What a worker can do for the member who registered it, of what that member may do. */
const ownerPermissions: readonly Permission[] = [
  "automations:create",
  "automations:manage",
  "connections:use",
  "templates:read",
  // For the credentials of the runs that its runner claims.
  "llm_providers:use",
  "mcp_connections:use",
  "telemetry:report",
];

/** The permissions that a worker gets from whoever registers it or takes it over. */
export const limitToOwner = ({ permissions }: Membership): string[] =>
  ownerPermissions.filter((name) => permissions.has(name));

/** Whether the worker acts for this member already, with no more permissions than the caller has. */
export async function isWithinRights(
  tx: Db,
  { orgId, member }: Pick<MemberCtx, "orgId" | "member">,
  workerId: string,
): Promise<boolean> {
  const owner = await store.find(tx, orgId, workerId);
  return owner?.memberId === member.id && owner.permissions.every((name) => member.permissions.has(name));
}

/**
 * The context of the member who registered the worker, with no more permissions than the member had then and has now.
 * Audit entries name the member, and the worker as the credential.
 */
export async function actAsOwner(
  ctx: MachineCtx,
  workerId: string,
  permission: Permission,
): Promise<MemberCtx> {
  const { db, orgId, caller } = ctx;
  const owner = await store.find(db, orgId, workerId);
  if (!owner) throw notFound("worker");
  const row = owner.memberId === null ? undefined : await findMembership(db, orgId, owner.memberId);
  if (!row)
    throw conflict(
      "worker_without_owner",
      "The member who registered this worker has left or has ended all credentials. Another member must take it over: PATCH /v1/workers/{id} with takeOver.",
    );
  const member = createMembership(row, owner.permissions);
  if (!member.permissions.has(permission))
    throw forbidden(
      "missing_permission",
      `The owner of this worker does not have the permission ${permission}.`,
    );
  const { credential, credentialId, madeWith } = caller;
  return {
    ...ctx,
    userId: row.userId,
    member,
    permissions: member.permissions,
    caller: {
      ...{ credential, credentialId, principal: "member", userId: row.userId, member },
      ...(madeWith === undefined ? {} : { madeWith }),
    },
  };
}
