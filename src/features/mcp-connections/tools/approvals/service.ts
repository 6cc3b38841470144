import type { MemberCtx, Platform } from "../../../../platform/context.ts";
import { conflict, invalidField, notFound, Refusal } from "../../../../platform/errors.ts";
import { readPage } from "../../../../platform/http/index.ts";
import { isId, newId, smallestIdAt } from "../../../../platform/ids.ts";
import { record } from "../../../audit/index.ts";
import { announce } from "../../../notifications/index.ts";
import type { UsableConnection } from "../../model.ts";
import { DefinitionError, hashArguments, isObject } from "../definitions/index.ts";
import type { Decision, listQuery, McpApproval } from "./contract.ts";
import { openArguments, sealArguments } from "./sealing.ts";
import * as store from "./store.ts";

/** Larger arguments cannot be shown, and nobody approves what they have not seen. */
const maxArgumentBytes = 64 * 1024;
/** An agent that repeats itself with other arguments does not fill the list of the people who decide. */
const maxPending = 50;
const keptDays = 90;

/** Null: the caller may see those of all members. */
const findReach = ({ member }: MemberCtx) =>
  member.permissions.has("mcp_connections:manage") ? null : member.id;

export async function list(ctx: MemberCtx, query: (typeof listQuery)["_output"]) {
  const filter = { memberId: findReach(ctx), status: query.status, connectionId: query.connectionId };
  const page = await readPage(store.list(ctx.db, ctx.orgId, filter), query, "mca");
  return { ...page, items: page.items.map((row): McpApproval => ({ ...row, arguments: null })) };
}

export const read = async (ctx: MemberCtx, id: string) => ({ approval: await findApproval(ctx, ctx.db, id) });

async function findApproval(ctx: MemberCtx, db: MemberCtx["db"], id: string): Promise<McpApproval> {
  const row = isId("mca", id) ? await store.find(db, ctx.orgId, findReach(ctx), id) : undefined;
  if (!row) throw notFound("mcp_approval");
  const { sealed, ...approval } = row;
  return { ...approval, arguments: sealed === null ? null : openStored(ctx, id, sealed) };
}

/** With every key, also `__proto__`: a person decides about what they see. */
function openStored({ keyring, orgId }: MemberCtx, id: string, sealed: string) {
  const value: unknown = JSON.parse(openArguments(keyring, orgId, id, sealed));
  return isObject(value) ? value : null;
}

export const decide = (ctx: MemberCtx, id: string, outcome: "approved" | "denied", { note }: Decision) =>
  ctx.db.transaction(async (tx) => {
    const found = isId("mca", id) ? await store.lock(tx, ctx.orgId, id) : undefined;
    if (!found) throw notFound("mcp_approval");
    if (found.status === "expired")
      throw conflict(
        "mcp_approval_expired",
        "It is too late to decide. The agent has to call the tool again.",
      );
    if (found.status !== "pending")
      throw conflict("mcp_approval_decided", "Somebody has decided already. Read the approval again.");
    const decision = { outcome, decidedBy: ctx.member.id, note: note ?? null };
    await store.decide(tx, ctx.orgId, found.id, decision);
    await record(ctx, tx, {
      action: `mcp_approval.${outcome}`,
      target: { type: "mcp_approval", id: found.id },
      after: { connectionId: found.connectionId, tool: found.tool, note: decision.note },
    });
    ctx.metrics.count("mcp_approvals_total", { outcome });
    return { approval: await findApproval(ctx, tx, id) };
  });

interface RequestedCall {
  tool: string;
  toolHash: string;
  args: unknown;
  runId: string | null;
}

/** A call that a person has approved. */
export interface ApprovedCall {
  /** Uses up the approval, once. Refuses the call when another one was faster. */
  useApproval(): Promise<void>;
}

/**
 * Finds the approval of this call, or refuses it: because somebody has to decide, or has denied it. Repeated calls get
 * the same request.
 */
export async function requireApproval(
  ctx: MemberCtx,
  connection: Pick<UsableConnection, "id" | "name">,
  { tool, toolHash, args, runId }: RequestedCall,
): Promise<ApprovedCall> {
  const { db, orgId, member } = ctx;
  const call = { connectionId: connection.id, memberId: member.id, runId, tool, toolHash };
  checkSize(connection, tool, args);
  const bound = { ...call, argumentsHash: hashGiven(args) };
  await checkDecision(ctx, connection, bound, args);
  let isUsed = false;
  return {
    async useApproval() {
      while (!isUsed) {
        isUsed = (await store.use(db, orgId, bound)) !== undefined;
        if (!isUsed) await checkDecision(ctx, connection, bound, args);
      }
    },
  };
}

async function checkDecision(
  ctx: MemberCtx,
  connection: Pick<UsableConnection, "id" | "name">,
  call: store.Call,
  args: unknown,
): Promise<void> {
  const open = (await store.findOpen(ctx.db, ctx.orgId, call)) ?? (await request(ctx, call, args));
  if (open.status === "approved") return;
  const { tool } = call;
  const about = { connectionId: connection.id, connectionName: connection.name, tool };
  const where = `under MCP connections at ${ctx.config.publicUrl}`;
  if (open.status === "denied") {
    const message = `A person denied this call of ${connection.name}${open.note ? `, with the note "${open.note}"` : ""}. It can be asked for again in an hour.`;
    throw new Refusal(403, { error: "mcp_approval_denied", message, ...about, approvalId: open.id });
  }
  throw new Refusal(409, {
    error: "mcp_approval_required",
    message: `This tool of ${connection.name} can destroy data, so a person has to approve the call. Ask an owner or admin to decide about ${open.id} ${where}, then make the same call again.`,
    ...{ ...about, approvalId: open.id, expiresAt: open.expiresAt },
  });
}

function checkSize({ id, name }: Pick<UsableConnection, "id" | "name">, tool: string, args: unknown): void {
  if (Buffer.byteLength(JSON.stringify(args ?? {})) <= maxArgumentBytes) return;
  throw new Refusal(413, {
    error: "mcp_approval_too_large",
    message: `This tool of ${name} can destroy data, so a person has to see the arguments before the call. They have more than 64 KiB. Send less in one call.`,
    ...{ connectionId: id, connectionName: name, tool },
  });
}

function hashGiven(args: unknown): string {
  try {
    return hashArguments(args);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    throw invalidField(["arguments"], `Nobody can approve these arguments. ${error.message} Send others.`);
  }
}

async function request(ctx: MemberCtx, call: store.Call, args: unknown) {
  const { db, orgId, keyring } = ctx;
  const text = JSON.stringify(args ?? {});
  const argumentBytes = Buffer.byteLength(text);
  await db.transaction(async (tx) => {
    await store.expire(tx, orgId, call);
    if ((await store.countPending(tx, orgId, call.memberId)) >= maxPending)
      throw new Refusal(409, {
        error: "mcp_approvals_full",
        message: `${maxPending} calls of yours wait for approval. Wait until people have decided about them.`,
      });
    const id = newId("mca");
    const sealed = sealArguments(keyring, orgId, id, text);
    if ((await store.insert(tx, orgId, call, { id, sealed, argumentBytes })) === 0) return;
    const { connectionId, memberId, tool, runId } = call;
    const fact = { approvalId: id, connectionId, memberId, tool, runId };
    await announce(tx, orgId, { type: "mcp_approval.requested", ...fact });
    ctx.metrics.count("mcp_approvals_total", { outcome: "requested" });
  });
  const open = await store.findOpen(db, orgId, call);
  if (!open) throw new Error("The request for approval is gone.");
  return open;
}

const batchSize = 1_000;

export async function tidyApprovals({ db }: Pick<Platform, "db">): Promise<void> {
  await store.expireAcrossOrganizations(db);
  const first = smallestIdAt("mca", Date.now() - keptDays * 86_400_000);
  while ((await store.removeOldAcrossOrganizations(db, first, batchSize)) === batchSize);
}
