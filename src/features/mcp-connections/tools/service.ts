import type { MemberCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { notFound } from "../../../platform/errors.ts";
import { cutPage, defineCursor } from "../../../platform/http/index.ts";
import { isId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { listGrantees } from "../../teams/index.ts";
import { type ConnectionId, fillPolicy, type Policy, type UsableConnection } from "../model.ts";
import { createExposedName } from "../names.ts";
import { announceToolChange } from "../tool-changes.ts";
import { listVariants } from "./accounts/index.ts";
import type { DriftKind, listQuery, McpTool, PolicyInput, Reason, ToolDefinition } from "./contract.ts";
import { cutPolicy, findObstacle, isDestructive, isHeld, isHidden, servesLatest } from "./policy.ts";
import { countTools, listKnown } from "./recording/index.ts";
import * as store from "./store.ts";

/** A connection that the caller may see: one they were granted, or with the permission any of the organization. */
export async function requireConnection(
  { db, orgId, member }: Pick<MemberCtx, "db" | "orgId" | "member">,
  id: string,
): Promise<store.ConnectionRow> {
  const isManager = member.permissions.has("mcp_connections:manage");
  const grantees = isManager ? null : await listGrantees(db, orgId, member.id);
  const found = isId("mcn", id) ? await store.findConnection(db, orgId, grantees, id) : undefined;
  if (!found) throw notFound("mcp_connection");
  return found;
}

export async function lockConnection(tx: Db, { orgId }: Pick<MemberCtx, "orgId">, id: string) {
  const found = isId("mcn", id) ? await store.lockConnection(tx, orgId, id) : undefined;
  if (!found) throw notFound("mcp_connection");
  return found;
}

const nameCursor = defineCursor<string>({
  write: (name) => `tool ${name}`,
  read: (text) => /^tool ([^\0]+)$/.exec(text)?.[1],
  exact: true,
});

export async function list(ctx: MemberCtx, id: string, query: (typeof listQuery)["_output"]) {
  const { db, orgId, member } = ctx;
  const found = await requireConnection(ctx, id);
  const policy = fillPolicy(found.policy);
  // What the account of another member lists differently holds nothing for this one.
  const heldTools =
    policy.onDrift === "hold_all"
      ? await store.countHeldFor(db, orgId, found.id, member.id)
      : found.heldTools;
  const connection = { ...found, heldTools };
  const rows = await store.list(db, orgId, connection.id, member.id, {
    servesLatest: servesLatest(policy),
    kind: chooseKind(policy, connection, query.state),
    after: nameCursor.read(query, store.instructionsName),
    limit: query.limit + 1,
  });
  const { items, nextCursor } = cutPage(rows, query, ({ name }) => nameCursor.write(name));
  const tools = items.map((row) => toTool(connection, policy, row));
  const isManager = member.permissions.has("mcp_connections:manage");
  return {
    items: isManager ? tools : tools.filter(({ name }) => !isHidden(policy, name)),
    nextCursor,
    listedAt: connection.listedAt,
    omittedTools: connection.omittedTools,
    instructions: await store.findInstructions(db, orgId, connection.id, member.id, servesLatest(policy)),
  };
}

function chooseKind(
  { onDrift }: Policy,
  { heldTools }: store.ConnectionRow,
  state: McpTool["state"] | undefined,
): store.ToolSelection["kind"] {
  if (state === undefined) return "any";
  if (state === "removed") return "removed";
  const wantsHeld = state === "held";
  if (onDrift === "hold_changed") return wantsHeld ? "changed" : "unchanged";
  const areHeld = onDrift === "hold_all" && heldTools > 0;
  return areHeld === wantsHeld ? "present" : "none";
}

function toTool({ slug, heldTools }: store.ConnectionRow, policy: Policy, row: store.ToolRow): McpTool {
  const { name, definition, isRemoved, isApproved: _, ...rest } = row;
  const {
    title = null,
    description = null,
    inputSchema,
    outputSchema = null,
    annotations = null,
  } = definition;
  const facts = { name, definition, drift: row.drift, isRemoved, isConnectionHeld: heldTools > 0 };
  const why = findObstacle(policy, facts);
  const state = isRemoved ? "removed" : isHeld(policy, facts) ? "held" : "approved";
  return {
    ...{ name, exposedName: createExposedName(slug, name) },
    ...{ title, description, inputSchema, outputSchema, annotations, state, ...rest },
    ...{ isDestructive: isDestructive(policy, definition), executable: isExecutable(why), why },
    listed: !isRemoved && !isHidden(policy, name) && (row.isApproved || servesLatest(policy)),
  };
}

/** A tool that needs approval is called to ask for it. */
const isExecutable = (why: Reason | null) => why === null || why === "needs_approval";

const defaults = fillPolicy({});

export const setPolicy = (ctx: MemberCtx, id: string, input: PolicyInput) =>
  ctx.db.transaction(async (tx) => {
    const connection = await lockConnection(tx, ctx, id);
    const policy: Policy = {
      allow: input.allow ?? null,
      deny: input.deny ?? defaults.deny,
      hide: input.hide ?? defaults.hide,
      onDrift: input.onDrift ?? defaults.onDrift,
      destructive: input.destructive ?? defaults.destructive,
      treatUnknownAsDestructive: input.treatUnknownAsDestructive ?? defaults.treatUnknownAsDestructive,
    };
    const known = await listKnown(tx, ctx.orgId, connection.id);
    const variants = await listVariants(tx, ctx.orgId, connection.id);
    const { heldTools } = countTools(policy, known, variants);
    await store.setPolicy(tx, ctx.orgId, connection.id, cutPolicy(policy, defaults), heldTools);
    await announceToolChange(ctx, tx, ctx.orgId);
    await record(ctx, tx, {
      action: "mcp_connection.policy_changed",
      target: { type: "mcp_connection", id: connection.id },
      before: fillPolicy(connection.policy),
      after: policy,
    });
    return { policy };
  });

/** A tool as an agent gets it. */
export interface UsableTool {
  connectionId: ConnectionId;
  name: string;
  exposedName: string;
  title?: string;
  description?: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
  /** Whether a call would be accepted now. */
  executable: boolean;
  why?: Reason;
  /** Whether it is in lists and searches. */
  listed: boolean;
}

export type ToolSource = Pick<UsableConnection, "id" | "slug" | "policy">;

/** Of definitions that are in memory for one request: more than four servers can have at most. */
const maxUsableBytes = 32 * 1024 * 1024;

/**
 * The tools of these connections. Descriptions are the approved ones, so that a changed text reaches no agent before a
 * person has seen it. A new tool has none yet, and is left out. With `warn`, everything is what the server says now.
 */
export async function listTools(
  { db, orgId, member }: Pick<MemberCtx, "db" | "orgId"> & { member: Pick<MemberCtx["member"], "id"> },
  connections: readonly ToolSource[],
  maxBytes = maxUsableBytes,
): Promise<UsableTool[]> {
  if (connections.length === 0) return [];
  const byId = new Map(connections.map((connection) => [connection.id, connection]));
  const servingLatest = connections.filter(({ policy }) => servesLatest(policy)).map(({ id }) => id);
  const rows = await store.listUsable(db, orgId, member.id, [...byId.keys()], servingLatest, maxBytes);
  return rows.flatMap(({ connectionId, ...row }) => {
    const connection = byId.get(connectionId);
    return connection ? [toUsableTool(connection, row)] : [];
  });
}

/** A definition as an agent gets it. */
export function toUsableTool(
  { id, policy, slug }: ToolSource,
  {
    name,
    definition,
    ...facts
  }: { name: string; definition: ToolDefinition; drift: DriftKind[]; isConnectionHeld: boolean },
): UsableTool {
  const why = findObstacle(policy, { name, definition, isRemoved: false, ...facts });
  return {
    ...{ connectionId: id, ...definition, name, exposedName: createExposedName(slug, name) },
    executable: isExecutable(why),
    ...(why === null ? {} : { why }),
    listed: !isHidden(policy, name),
  };
}
