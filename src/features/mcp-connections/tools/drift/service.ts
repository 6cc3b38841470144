import type { MemberCtx, OrgId } from "../../../../platform/context.ts";
import { dayMs } from "../../../../platform/days.ts";
import type { Db } from "../../../../platform/db/index.ts";
import { conflict, notFound } from "../../../../platform/errors.ts";
import { defineNumberCursor, type PageQuery } from "../../../../platform/http/index.ts";
import { record } from "../../../audit/index.ts";
import { type ConnectionId, fillPolicy, type Policy } from "../../model.ts";
import { createExposedName } from "../../names.ts";
import { announceToolChange } from "../../tool-changes.ts";
import { approveVariants, listVariants } from "../accounts/index.ts";
import { classifyChange, findSeverity, listChanges } from "../comparison/index.ts";
import type { DriftKind, ToolDefinition } from "../contract.ts";
import { isHeld } from "../policy.ts";
import { computeRevision, countTools, type KnownTool, listKnown } from "../recording/index.ts";
import { lockConnection, requireConnection } from "../service.ts";
import { type ConnectionRow, instructionsName, setCounts } from "../store.ts";
import type { ApproveInput, McpDrift } from "./contract.ts";
import * as store from "./store.ts";

const driftCursor = defineNumberCursor("drift");

export async function list(ctx: MemberCtx, id: string, query: PageQuery) {
  const { db, orgId } = ctx;
  const connection = await requireConnection(ctx, id);
  const offset = driftCursor.read(query, 0);
  const rows = await store.list(db, orgId, connection.id, offset, query.limit + 1);
  const shown = rows.slice(0, query.limit);
  const calls = await countCalls(ctx, connection.id, shown);
  const policy = fillPolicy(connection.policy);
  const known = await listKnown(db, orgId, connection.id);
  return {
    items: shown.map((row) => toDrift(connection, policy, row, calls)),
    nextCursor: rows.length > query.limit ? driftCursor.write(offset + query.limit) : null,
    revision: computeRevision([...known, ...(await listVariants(db, orgId, connection.id))]),
    tools: countTools(policy, known).toolCount,
  };
}

async function countCalls({ db, orgId }: MemberCtx, id: ConnectionId, rows: readonly store.DriftRow[]) {
  const names = rows.flatMap(({ name, renamedFrom }) =>
    renamedFrom === null ? [name] : [name, renamedFrom],
  );
  if (names.length === 0) return new Map<string, number>();
  const counts = await store.countCalls(db, orgId, id, names, Date.now() - dayMs);
  return new Map(counts.map(({ tool, count }) => [tool, count]));
}

function toDrift(
  { slug, heldTools }: ConnectionRow,
  policy: Policy,
  row: store.DriftRow,
  calls: ReadonlyMap<string, number>,
): McpDrift {
  const { name, renamedFrom, before, after, ...rest } = row;
  const isTool = name !== instructionsName;
  const kinds = findKinds(row);
  const held = isTool && after !== null && isHeld(policy, { drift: kinds, isConnectionHeld: heldTools > 0 });
  const { drift: _, ...more } = rest;
  const shared = { kinds, renamedFrom, ...more, isHeld: held };
  if (!isTool) {
    const change = before === null ? "added" : after === null ? "removed" : "changed";
    return {
      ...{ ...shared, subject: "instructions", tool: null, exposedName: null, before: null, after: null },
      severity: findSeverity(kinds, null, null),
      changes: [{ field: "instructions", change, before, after }],
      ...{ isCut: false, callsLastDay: 0 },
    };
  }
  const [from, to] = [toDefinition(before), toDefinition(after)];
  return {
    ...{ ...shared, subject: "tool", tool: name, exposedName: createExposedName(slug, name) },
    ...{ before: from, after: to, severity: findSeverity(kinds, from, to), ...listChanges(from, to) },
    callsLastDay: (calls.get(name) ?? 0) + (renamedFrom === null ? 0 : (calls.get(renamedFrom) ?? 0)),
  };
}

/** Of an account, the kinds are of the time of its listing. Something else may have been approved since. */
function findKinds({ accounts, drift, renamedFrom, before, after }: store.DriftRow): DriftKind[] {
  const [from, to] = [toDefinition(before), toDefinition(after)];
  return accounts === null || renamedFrom !== null || !from || !to ? drift : classifyChange(from, to);
}

const toDefinition = (value: ToolDefinition | string | null) => (typeof value === "string" ? null : value);

export const approve = (ctx: MemberCtx, id: string, input: ApproveInput) =>
  ctx.db.transaction(async (tx) => {
    const { orgId, member } = ctx;
    const connection = await lockConnection(tx, ctx, id);
    const [known, variants] = await readBoth(tx, orgId, connection.id);
    if (input.revision !== undefined && input.revision !== computeRevision([...known, ...variants]))
      throw conflict(
        "mcp_drift_changed",
        "The server changed its tools again, or somebody else approved some of them. Read the differences again, then approve.",
      );
    const names = chooseNames([...known, ...variants], input);
    const chosen = await store.listForApproval(tx, orgId, connection.id, names);
    const earlier = chosen.flatMap(({ renamedFrom }) => renamedFrom ?? []);
    await store.approve(tx, orgId, connection.id, member.id, names);
    await store.forget(tx, orgId, connection.id, [...names, ...earlier]);
    await approveVariants(tx, orgId, connection.id, member.id, names);
    const [left, leftVariants] = await readBoth(tx, orgId, connection.id);
    const policy = fillPolicy(connection.policy);
    await setCounts(tx, orgId, connection.id, countTools(policy, left, leftVariants));
    if (chosen.length > 0)
      await record(ctx, tx, {
        action: "mcp_connection.drift_approved",
        target: { type: "mcp_connection", id: connection.id },
        ...describeApproval(chosen),
      });
    await announceToolChange(ctx, tx, orgId);
    ctx.metrics.count("mcp_tools_approved_total", {}, chosen.length);
    return {
      baseline: {
        approved: names.filter((name) => name !== instructionsName),
        instructions: names.includes(instructionsName),
        remaining: left.filter(({ drift }) => drift.length > 0).length + leftVariants.length,
        revision: computeRevision([...left, ...leftVariants]),
      },
    };
  });

const readBoth = async (tx: Db, orgId: OrgId, id: ConnectionId) =>
  [await listKnown(tx, orgId, id), await listVariants(tx, orgId, id)] as const;

function chooseNames(
  known: readonly Pick<KnownTool, "name" | "drift">[],
  { tools, instructions }: ApproveInput,
): string[] {
  const drifted = known.filter(({ drift }) => drift.length > 0).map(({ name }) => name);
  if (tools === undefined && instructions === undefined) return drifted;
  const wanted = new Set([...(tools ?? []), ...(instructions ? [instructionsName] : [])]);
  const chosen = drifted.filter((name) => wanted.has(name));
  if (tools?.some((name) => !chosen.includes(name))) throw notFound("mcp_tool");
  return chosen;
}

/** Definitions can be large. Above this size, the audit log has their hashes. */
const maxAuditedBytes = 256 * 1024;

function describeApproval(chosen: readonly store.ApprovedTool[]) {
  const toState = (pick: (tool: store.ApprovedTool) => unknown) =>
    Object.fromEntries(
      chosen.map((tool) => [tool.name === instructionsName ? "(instructions)" : tool.name, pick(tool)]),
    );
  const before = toState(({ before }) => before);
  const after = toState(({ after }) => after);
  if (JSON.stringify([before, after]).length <= maxAuditedBytes) return { before, after };
  return { after: toState(({ latestHash }) => latestHash ?? "removed") };
}
