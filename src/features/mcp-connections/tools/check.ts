import type { MemberCtx, MemberId, Platform } from "../../../platform/context.ts";
import { Refusal } from "../../../platform/errors.ts";
import { findAccount, type Policy, type UsableConnection } from "../model.ts";
import { type ApprovedCall, requireApproval } from "./approvals/index.ts";
import type { DriftKind, ToolDefinition } from "./contract.ts";
import { normalizeListing, type ToolListing } from "./definitions/index.ts";
import { findObstacle, isDestructive, isHeld } from "./policy.ts";
import {
  comparedListings,
  digestListing,
  type RecordingPlatform,
  type RecordOptions,
  recordNormalized,
  toHashes,
} from "./recording/index.ts";
import * as store from "./store.ts";

/** What a call needs of its connection. */
export type CheckedConnection = Pick<
  UsableConnection,
  "id" | "orgId" | "name" | "credential" | "registration" | "policy"
>;

/** A call that the policy allows. */
export interface Allowed {
  /** What the MCP client needs to know about the tool. */
  definition: Pick<ToolDefinition, "name"> & { inputSchema: Record<string, unknown> & { type: "object" } };
  isReadOnly: boolean;
  isDestructive: boolean;
  /** The tools must be listed in the same session before the call, and given to `confirmTool`. */
  mustList: boolean;
  /** Only for a call that needed approval. Call it right before the call is sent, when nothing else can refuse it. */
  useApproval?: ApprovedCall["useApproval"];
}

/** With these policies a call is preceded by a listing, so that no changed tool is called. */
const holdsTools = ({ onDrift }: Pick<Policy, "onDrift">) => onDrift !== "warn";

/**
 * Decides about one call: whether the tool is known, allowed, not held, and, if it destroys, approved. Throws a
 * `Refusal`. `found` is what the caller has just read about the tool.
 */
export async function checkCall(
  ctx: MemberCtx,
  connection: CheckedConnection,
  tool: string,
  args: unknown,
  { runId = null, found }: { runId?: string | null | undefined; found?: store.CallRow | undefined } = {},
): Promise<Allowed> {
  const { policy } = connection;
  const row = found ?? (await store.findForCall(ctx.db, ctx.orgId, connection.id, tool, ctx.member.id));
  if (!row?.definition || row.approvedHash === null) {
    // Under `warn`, a tool can be called before anybody has approved it.
    if (!row?.definition || holdsTools(policy)) throw refuseUnknown(ctx, connection, tool, row);
  }
  const { definition, latestHash, heldTools } = row;
  const drift = row.drift ?? [];
  // A tool that was approved as destructive does not become harmless because its server says so now.
  const approved = row.approvedHash === null ? definition : { annotations: row.approvedAnnotations ?? {} };
  const judged = isDestructive(policy, approved) ? approved : definition;
  const facts = { name: tool, definition: judged, drift, isRemoved: latestHash === null };
  // An own account is listed before each call, and only that listing tells whether it still differs.
  const isListedFirst = holdsTools(policy) && findAccount(connection, ctx.member.id) !== null;
  const obstacle = findObstacle(
    policy,
    isListedFirst
      ? { ...facts, drift: [], isConnectionHeld: false }
      : { ...facts, isConnectionHeld: heldTools > 0 },
  );
  if (obstacle === "removed") throw refuseRemoved(connection, tool);
  if (obstacle === "held") throw refuseHeld(ctx, connection, tool, drift);
  if (obstacle === "denied") throw refuseDenied(connection, tool, isDestructive(policy, judged));
  const approval =
    obstacle === "needs_approval"
      ? await requireApproval(ctx, connection, {
          ...{ tool, args, runId },
          toolHash: (holdsTools(policy) ? row.approvedHash : latestHash) ?? "",
        })
      : {};
  return {
    ...approval,
    definition: { name: tool, inputSchema: { ...definition.inputSchema, type: "object" } },
    isReadOnly: definition.annotations?.readOnlyHint === true,
    isDestructive: isDestructive(policy, judged),
    mustList: holdsTools(policy),
  };
}

/**
 * Records what the server lists right before a call, and refuses the call when the tool is not what was approved. The
 * listing of this very session decides, whatever other sessions have seen.
 */
export async function confirmTool(
  platform: ConfirmingPlatform,
  connection: CheckedConnection,
  tool: string,
  listing: ToolListing,
  { account = null }: Pick<RecordOptions, "account"> = {},
): Promise<void> {
  const { id, orgId, policy } = connection;
  const { hashes, row } = await compareListing(platform, connection, listing, account, () =>
    store.findForConfirmation(platform.db, orgId, id, tool, account),
  );
  const hash = hashes.get(tool);
  if (hash === undefined) throw refuseRemoved(connection, tool);
  if (!holdsTools(policy)) return;
  const isConnectionHeld = (row?.heldTools ?? 0) > 0;
  if (row?.approvedHash === hash && !isHeld(policy, { drift: [], isConnectionHeld })) return;
  throw refuseHeld(platform, connection, tool, row?.drift ?? ["added"]);
}

/** Records a listing, unless it says what this process has compared with the same stored tools before. */
async function compareListing(
  platform: ConfirmingPlatform,
  connection: CheckedConnection,
  listing: ToolListing,
  account: MemberId | null,
  find: () => Promise<store.ConfirmationRow | undefined>,
): Promise<{ hashes: ReadonlyMap<string, string>; row: store.CallRow | undefined }> {
  const compared = platform.state.get(comparedListings);
  const digest = digestListing(listing);
  const key = account === null ? connection.id : `${connection.id} ${account}`;
  const known = compared.find(key, digest);
  const before = await find();
  if (known && before?.fingerprint === known.fingerprint && !before.isListedLongAgo)
    return { hashes: known.hashes, row: before };
  const normalized = normalizeListing(listing);
  const hashes = toHashes(normalized);
  const { isUnchanged } = await recordNormalized(platform, connection, normalized, { account });
  if (!isUnchanged || !before) return { hashes, row: await find() };
  // The fingerprint is from before the comparison: after a change in between, the next call compares again.
  compared.keep(key, { digest, fingerprint: before.fingerprint, hashes });
  return { hashes, row: await find() };
}

type ConfirmingPlatform = RecordingPlatform & Pick<Platform, "state"> & Place;
type Place = { config: { publicUrl: string } };

const refuse = (
  status: number,
  error: string,
  { id, name }: CheckedConnection,
  tool: string,
  message: string,
  more: Record<string, unknown> = {},
) => new Refusal(status, { error, message, connectionId: id, connectionName: name, tool, ...more });

/** A new tool is known, but nobody has approved it. */
function refuseUnknown(place: Place, connection: CheckedConnection, tool: string, row?: store.CallRow) {
  if (row?.definition) return refuseHeld(place, connection, tool, row.drift ?? ["added"]);
  const message = row?.hasBaseline
    ? `${connection.name} has no tool with this name. List the tools again.`
    : `The tools of ${connection.name} were not listed yet. Try again in a minute, or test the connection.`;
  return refuse(404, "mcp_tool_not_found", connection, tool, message);
}

const refuseRemoved = (connection: CheckedConnection, tool: string) =>
  refuse(
    409,
    "mcp_tool_removed",
    connection,
    tool,
    `${connection.name} does not list this tool any more. List the tools again.`,
  );

const refuseHeld = (
  { config: { publicUrl } }: Place,
  connection: CheckedConnection,
  tool: string,
  drift: readonly DriftKind[],
) =>
  refuse(
    409,
    "mcp_tool_held",
    connection,
    tool,
    `${connection.name} changed its tools, and this one waits for approval. An owner or admin can compare and approve it under MCP connections at ${publicUrl}.`,
    { drift },
  );

const refuseDenied = (connection: CheckedConnection, tool: string, isDestructive: boolean) =>
  refuse(
    403,
    "mcp_tool_denied",
    connection,
    tool,
    `The policy of ${connection.name} does not allow ${isDestructive ? "this tool, which can destroy data" : "this tool"}. An owner or admin can change the policy.`,
  );
