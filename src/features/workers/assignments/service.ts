import type { MachineCtx, MemberCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { forbidden, invalidField, notFound } from "../../../platform/errors.ts";
import { isId } from "../../../platform/ids.ts";
import { checkProviderIds } from "../../llm-providers/index.ts";
import { issueToken } from "../../oauth-providers/index.ts";
import type { Permission } from "../../permissions/index.ts";
import { actAsOwner } from "../owners/index.ts";
import { requireSelf } from "../tokens/index.ts";
import * as store from "./store.ts";

interface Assignments {
  /** The member that the worker acts for. */
  ownerId: string | null;
  templateIds: readonly string[];
  connectionIds: readonly string[];
  llmProviderIds: readonly string[];
  mcpConnectionIds: readonly string[];
}

type Assigned = Pick<Assignments, "templateIds" | "connectionIds" | "llmProviderIds" | "mcpConnectionIds">;
const nothing: Assigned = { templateIds: [], connectionIds: [], llmProviderIds: [], mcpConnectionIds: [] };

/** Refuses what the caller cannot give to a worker. Only what is new is checked. */
export async function checkAssignments(
  ctx: MemberCtx,
  tx: Db,
  next: Assignments,
  before: Assigned = nothing,
): Promise<void> {
  await checkMcpConnections(ctx, tx, next.mcpConnectionIds, before.mcpConnectionIds);
  await checkTemplates(ctx, tx, next.templateIds, before.templateIds);
  await checkConnections(ctx, tx, next, before.connectionIds);
  await checkProviders(ctx, tx, next.llmProviderIds, before.llmProviderIds);
}

async function checkProviders(ctx: MemberCtx, tx: Db, next: readonly string[], before: readonly string[]) {
  const isSame = next.length === before.length && next.every((id) => before.includes(id));
  if (isSame) return;
  requirePermission(ctx, "llm_providers:manage");
  await checkProviderIds(tx, ctx.orgId, next);
}

async function checkMcpConnections(
  ctx: MemberCtx,
  tx: Db,
  next: readonly string[],
  before: readonly string[],
) {
  const added = next.filter((id) => !before.includes(id));
  // To take one away can widen too: an empty list is no limit.
  if (added.length === 0 && next.length === before.length) return;
  requirePermission(ctx, "mcp_connections:manage");
  const found = await store.listMcpConnections(tx, ctx.orgId, added);
  const missing = added.find((id) => !found.some((one) => one.id === id));
  if (missing !== undefined)
    throw invalidField(["mcpConnectionIds", next.indexOf(missing)], "There is no such MCP connection here.");
}

/** Whoever gets a token of a worker can get the credentials of its LLM providers, and read its templates. */
export function checkMayGetToken(
  ctx: MemberCtx,
  { llmProviderIds, templateIds }: Pick<Assigned, "llmProviderIds" | "templateIds">,
): void {
  if (llmProviderIds.length > 0) requirePermission(ctx, "llm_providers:manage");
  if (templateIds.length > 0) requirePermission(ctx, "templates:read");
}

async function checkTemplates(ctx: MemberCtx, tx: Db, next: readonly string[], before: readonly string[]) {
  const added = next.filter((id) => !before.includes(id));
  if (added.length === 0) return;
  requirePermission(ctx, "templates:read");
  const found = new Set((await store.listTemplates(tx, ctx.orgId, added)).map(({ id }) => id));
  const missing = added.find((id) => !found.has(id));
  if (missing !== undefined)
    throw invalidField(["templateIds", next.indexOf(missing)], "There is no such template here.");
}

async function checkConnections(ctx: MemberCtx, tx: Db, next: Assignments, before: readonly string[]) {
  const added = next.connectionIds.filter((id) => !before.includes(id));
  if (added.length === 0) return;
  requirePermission(ctx, "connections:use");
  const findMissing = async (memberId: string) => {
    const usable = await store.listUsableConnections(tx, ctx.orgId, memberId, added);
    return added.find((id) => !usable.some((one) => one.id === id));
  };
  const missing = await findMissing(ctx.member.id);
  if (missing !== undefined)
    throw invalidField(
      ["connectionIds", next.connectionIds.indexOf(missing)],
      "This connection does not exist, or you may not use it, so you cannot give it to a worker.",
    );
  const missingToOwner = next.ownerId === null ? added[0] : await findMissing(next.ownerId);
  if (missingToOwner !== undefined)
    throw invalidField(
      ["connectionIds", next.connectionIds.indexOf(missingToOwner)],
      "The member that this worker acts for may not use this connection. Grant it to that member, or take the worker over.",
    );
}

/** A key with limited permissions must not get more through a worker than it may use itself. */
function requirePermission({ member }: MemberCtx, permission: Permission): void {
  if (member.permissions.has(permission)) return;
  throw forbidden(
    "missing_permission",
    `To give this to a worker you need the permission ${permission}. Ask an owner or admin.`,
  );
}

export async function list(ctx: MachineCtx, id: string) {
  const workerId = requireSelf(ctx, id);
  const [templates, connections, llmProviders] = await Promise.all([
    store.listAssignedTemplates(ctx.db, ctx.orgId, workerId),
    store.listAssignedConnections(ctx.db, ctx.orgId, workerId),
    store.listAssignedProviders(ctx.db, ctx.orgId, workerId),
  ]);
  return { templates, connections, llmProviders };
}

export async function readTemplate(ctx: MachineCtx, id: string, templateId: string) {
  const workerId = requireSelf(ctx, id);
  const template = isId("tpl", templateId)
    ? await store.findAssignedTemplate(ctx.db, ctx.orgId, workerId, templateId)
    : undefined;
  if (!template) throw notFound("template");
  return { template };
}

export async function issueConnectionToken(
  ctx: MachineCtx,
  id: string,
  connectionId: string,
  { minTtlSeconds }: { minTtlSeconds: number },
) {
  const workerId = requireSelf(ctx, id);
  const owner = await actAsOwner(ctx, workerId, "connections:use");
  const assigned = await store.listAssignedConnections(ctx.db, ctx.orgId, workerId);
  const connection = assigned.find((one) => one.id === connectionId);
  if (!connection) throw notFound("connection");
  return issueToken(owner, connection.providerId, { connectionId, minTtlSeconds, scopes: [] });
}
