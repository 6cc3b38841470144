import type { MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { forbidden, invalidField } from "../../../platform/errors.ts";
import { findUseObstacle, isProviderId } from "../../llm-providers/index.ts";
import type { Permission } from "../../permissions/index.ts";
import type { AssignedConnection, AssignedTemplate } from "./contract.ts";
import * as store from "./store.ts";

interface ResourceSelection {
  memberId: string | null;
  templateIds: readonly string[];
  connectionIds: readonly string[];
  model: { providerId: string; modelId: string } | null;
}

const noResources: ResourceSelection = { memberId: null, templateIds: [], connectionIds: [], model: null };

/** Refuses resources that an automation may not get. Checks new ones, and all connections when the owner changes. */
export async function checkResources(
  ctx: MemberCtx,
  tx: Db,
  next: ResourceSelection,
  before: ResourceSelection = noResources,
): Promise<void> {
  await checkTemplates(ctx, tx, listAdded(next.templateIds, before.templateIds), next.templateIds);
  await checkConnections(ctx, tx, next, before);
  await checkModel(ctx, tx, next, before);
}

/** A model of one of the organization's LLM providers. Other names of providers are only passed on to runners. */
async function checkModel(ctx: MemberCtx, tx: Db, next: ResourceSelection, before: ResourceSelection) {
  const { model, memberId } = next;
  if (model === null || !isProviderId(model.providerId)) return;
  const { providerId, modelId } = model;
  const isSame = before.model?.providerId === providerId && before.model.modelId === modelId;
  if (isSame && memberId === before.memberId) return;
  const { member, orgId } = ctx;
  if (!isSame) requirePermission(ctx, "llm_providers:use");
  // By claiming a run the caller could get the credential.
  const callers = isSame || member.permissions.has("llm_providers:manage") ? [] : [member.id];
  for (const id of [...(memberId === null ? [] : [memberId]), ...callers]) {
    const obstacle = await findUseObstacle(tx, orgId, { kind: "member", id }, providerId, modelId);
    if (obstacle !== undefined) throw invalidField(["model", "providerId"], obstacle);
  }
}

const listAdded = (next: readonly string[], before: readonly string[]) =>
  next.filter((id) => !before.includes(id));

async function checkTemplates(ctx: MemberCtx, tx: Db, fresh: string[], all: readonly string[]) {
  if (fresh.length === 0) return;
  requirePermission(ctx, "templates:read");
  const slugs = new Map((await store.listTemplates(tx, ctx.orgId, all)).map(({ id, slug }) => [id, slug]));
  const missing = fresh.find((id) => !slugs.has(id));
  if (missing !== undefined)
    throw invalidField(["templateIds", all.indexOf(missing)], "There is no such template here.");
  // A runner writes each template to <slug>.md, and a path cannot be both a file and a folder.
  for (const [id, slug] of slugs) {
    const file = [...slugs.values()].find((other) => slug.startsWith(`${other}.md/`));
    if (file !== undefined)
      throw invalidField(
        ["templateIds", all.indexOf(id)],
        `The templates ${file} and ${slug} cannot be used together: ${file}.md would be a file and a folder. Rename one.`,
      );
  }
}

async function checkConnections(ctx: MemberCtx, tx: Db, next: ResourceSelection, before: ResourceSelection) {
  const fresh = listAdded(next.connectionIds, before.connectionIds);
  // A new owner may not have access to all connections of the old owner.
  const judged = next.memberId === before.memberId ? fresh : next.connectionIds;
  if (judged.length === 0) return;
  if (fresh.length > 0) requirePermission(ctx, "connections:use");
  const usable = await store.listUsableConnections(tx, ctx.orgId, next.memberId, judged);
  const owners = new Map(usable.map(({ id, memberId }) => [id, memberId]));
  const forbiddenToCaller = await listForbidden(ctx, tx, fresh);
  for (const id of judged) {
    const path = ["connectionIds", next.connectionIds.indexOf(id)];
    const owner = owners.get(id);
    if (owner === undefined)
      throw invalidField(path, "This connection does not exist, or the automation's owner may not use it.");
    if (owner !== null && owner !== ctx.member.id && fresh.includes(id))
      throw invalidField(
        path,
        "This connection is another member's own account. Only that member can give it to an automation.",
      );
    if (forbiddenToCaller.has(id))
      throw invalidField(path, "You may not use this connection, so you cannot give it to an automation.");
  }
}

/** The connections that the caller may neither use nor manage. By claiming a run the caller could get their tokens. */
async function listForbidden({ orgId, member }: MemberCtx, tx: Db, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0 || member.permissions.has("connections:manage")) return new Set();
  const usable = (await store.listUsableConnections(tx, orgId, member.id, ids)).map(({ id }) => id);
  return new Set(ids.filter((id) => !usable.includes(id)));
}

/** A key with limited permissions must not get more through an automation than it may use itself. */
function requirePermission({ member }: MemberCtx, permission: Permission): void {
  if (!member.permissions.has(permission)) {
    throw forbidden(
      "missing_permission",
      `An automation with these resources needs the permission ${permission}. Ask an owner or admin.`,
    );
  }
}

interface Resources {
  templates: AssignedTemplate[];
  connections: AssignedConnection[];
  /** A sentence for each missing resource. */
  missing: string[];
}

/** The templates and connections of a run that are still available. */
export async function listRunResources(db: Db, orgId: OrgId, runId: string): Promise<Resources> {
  const found = await store.findForRun(db, orgId, runId);
  const { templates = [], connections = [], memberLeft = false, memberId = "", model = null } = found ?? {};
  const usesProvider = model !== null && isProviderId(model.providerId);
  const named = templates.length + connections.length > 0 || usesProvider;
  const obstacle =
    usesProvider && !memberLeft
      ? await findUseObstacle(db, orgId, { kind: "member", id: memberId }, model.providerId, model.modelId)
      : undefined;
  return {
    templates: templates.filter((one) => "slug" in one),
    connections: connections.filter((one) => "providerId" in one),
    missing:
      memberLeft && named
        ? ["The member who owns the run has left or is deactivated."]
        : [
            ...templates
              .filter((one) => !("slug" in one))
              .map(({ id }) => `The template ${id} does not exist any more.`),
            ...connections
              .filter((one) => !("providerId" in one))
              .map(
                ({ id }) =>
                  `The connection ${id} has ended, or was withdrawn from the automation or its owner.`,
              ),
            ...(obstacle === undefined ? [] : [obstacle]),
          ],
  };
}
