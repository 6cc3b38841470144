import { createHash } from "node:crypto";
import type { OrgId, Platform } from "../../../../platform/context.ts";
import type { Db } from "../../../../platform/db/index.ts";
import { announce } from "../../../notifications/index.ts";
import { fillPolicy, type Policy, type UsableConnection } from "../../model.ts";
import { announceToolChange } from "../../tool-changes.ts";
import type { DriftKind } from "../contract.ts";
import { type NormalizedListing, normalizeListing, type ToolListing } from "../definitions/index.ts";
import { countHeld } from "../policy.ts";
import { type ConnectionRow, instructionsName, lockConnection } from "../store.ts";
import { type CompareOptions, compareListing, isUnchanged } from "./compare.ts";
import * as store from "./store.ts";

export type RecordingPlatform = Pick<Platform, "bus" | "db" | "metrics" | "log">;
export type ListedConnection = Pick<UsableConnection, "id" | "orgId" | "credential" | "policy">;

/** How the tools of a connection are after a listing. */
export interface Drift {
  /** True when the listing was the first, and is approved with the connection. */
  isBaseline: boolean;
  /** True when the listing says the same as the one before. */
  isUnchanged: boolean;
  toolCount: number;
  heldTools: number;
  omittedTools: number;
  /** Every tool that differs from its approved definition. The empty name is the server's instructions. */
  changed: { name: string; kinds: DriftKind[] }[];
}

export interface RecordOptions {
  /**
   * The listing was made by the watch. Accounts can have different tools, so that with an account per member only the
   * watch finds that a tool is gone.
   */
  isWatch?: boolean;
}

/**
 * Compares a listing with the approved tools and keeps it. Nothing is written when nothing changed, apart from a time.
 * Record only listings that succeeded: what a listing does not have counts as removed.
 */
export const recordListing = (
  platform: RecordingPlatform,
  connection: ListedConnection,
  listing: ToolListing,
  options: RecordOptions = {},
): Promise<Drift> => recordNormalized(platform, connection, normalizeListing(listing), options);

export async function recordNormalized(
  platform: RecordingPlatform,
  { id, orgId, credential, policy }: ListedConnection,
  listing: NormalizedListing,
  { isWatch = false }: RecordOptions = {},
): Promise<Drift> {
  const { db } = platform;
  const options: CompareOptions = {
    findsRemoved: ({ latestHash, isUnseen }) =>
      credential === "shared" || latestHash === null || (isWatch && isUnseen),
  };
  const known = await store.listKnown(db, orgId, id);
  if (known.length > 0 && isUnchanged(known, listing, options)) {
    // Every call under a policy that holds tools comes here.
    if (known.some(({ isListedLongAgo }) => isListedLongAgo)) await store.touch(db, orgId, id);
    return summarize(policy, known, listing, true);
  }
  return db.transaction(async (tx) => {
    const row = await lockConnection(tx, orgId, id);
    if (!row) return summarize(policy, [], listing, true);
    await announceToolChange(platform, tx, orgId);
    return row.hasBaseline
      ? recordChanges(platform, tx, orgId, row, listing, options)
      : recordBaseline(tx, orgId, row, listing);
  });
}

async function recordBaseline(
  tx: Db,
  orgId: OrgId,
  { id, createdBy }: ConnectionRow,
  listing: NormalizedListing,
): Promise<Drift> {
  const { tools, instructions, omitted } = listing;
  const rows = [...tools].map(([name, { definition, hash }]) => ({
    ...{ name, latest: definition as unknown, latestHash: hash },
  }));
  if (instructions)
    rows.push({ name: instructionsName, latest: instructions.text, latestHash: instructions.hash });
  // A server without tools has nothing to compare with, so its first tools are the baseline.
  const isBaseline = tools.size > 0;
  if (isBaseline) await store.saveBaseline(tx, orgId, id, createdBy, rows);
  const counts = { toolCount: tools.size, heldTools: 0, omittedTools: omitted };
  await store.setListed(tx, orgId, id, { ...counts, isBaseline });
  return { ...counts, isBaseline, isUnchanged: false, changed: [] };
}

async function recordChanges(
  platform: RecordingPlatform,
  tx: Db,
  orgId: OrgId,
  row: ConnectionRow,
  listing: NormalizedListing,
  options: CompareOptions,
): Promise<Drift> {
  const { id } = row;
  const before = await store.listKnown(tx, orgId, id);
  const differing = before.filter(
    ({ name, approvedHash }) => approvedHash !== null && listing.tools.get(name)?.hash !== approvedHash,
  );
  const names = differing.map(({ name }) => name);
  const rows = await store.listApproved(tx, orgId, id, names);
  const approved = new Map(rows.flatMap(({ name, approved }) => (approved ? [[name, approved]] : [])));
  const { changes, forgotten } = compareListing(before, listing, approved, options);
  if (changes.length > 0) await store.save(tx, orgId, id, changes);
  if (forgotten.length > 0) await store.remove(tx, orgId, id, forgotten);
  const after = await store.listKnown(tx, orgId, id);
  const policy = fillPolicy(row.policy);
  const counts = { ...countTools(policy, after), omittedTools: listing.omitted };
  await store.setListed(tx, orgId, id, { ...counts, isBaseline: false });
  const revision = computeRevision(after);
  if (revision !== computeRevision(before))
    await announceDrift(tx, orgId, id, after, revision, counts.heldTools);
  for (const { drift } of changes)
    for (const kind of drift) platform.metrics.count("mcp_tool_changes_total", { kind });
  return summarize(policy, after, listing, false);
}

const hasDrift = ({ drift }: Pick<store.KnownTool, "drift">) => drift.length > 0;
const isTool = ({ name }: Pick<store.KnownTool, "name">) => name !== instructionsName;

/** What a connection shows about its tools. */
export function countTools(
  policy: Pick<Policy, "onDrift">,
  known: readonly store.KnownTool[],
): { toolCount: number; heldTools: number } {
  const present = known.filter((tool) => isTool(tool) && tool.latestHash !== null);
  const heldTools = countHeld(policy, {
    present: present.length,
    drifted: present.filter(hasDrift).length,
    all: known.filter(hasDrift).length,
  });
  return { toolCount: present.length, heldTools };
}

/** Identifies all differences, so that somebody approves what they saw. */
export function computeRevision(
  known: readonly Pick<store.KnownTool, "name" | "approvedHash" | "latestHash" | "drift">[],
): string {
  const hash = createHash("sha256").update("signalbox mcp drift v1\n");
  for (const { name, approvedHash, latestHash } of known.filter(hasDrift))
    hash.update(`${JSON.stringify([name, approvedHash, latestHash])}\n`);
  return hash.digest("hex").slice(0, 32);
}

const maxAnnounced = 20;

/** Differences that were announced before are the same event. */
async function announceDrift(
  tx: Db,
  orgId: OrgId,
  connectionId: ConnectionRow["id"],
  known: readonly store.KnownTool[],
  revision: string,
  heldTools: number,
): Promise<void> {
  const drifted = known.filter(hasDrift);
  if (drifted.length === 0) return;
  const tools = drifted.filter(isTool);
  await announce(tx, orgId, {
    type: "mcp_connection.drift",
    connectionId,
    revision,
    kinds: [...new Set(drifted.flatMap(({ drift }) => drift))],
    tools: tools.slice(0, maxAnnounced).map(({ name }) => name),
    toolCount: tools.length,
    heldTools,
    instructions: drifted.length > tools.length,
    verdictFields: [],
  });
}

const summarize = (
  policy: Pick<Policy, "onDrift">,
  known: readonly store.KnownTool[],
  { omitted }: NormalizedListing,
  isUnchanged: boolean,
): Drift => ({
  ...{ isBaseline: false, isUnchanged, omittedTools: omitted, ...countTools(policy, known) },
  changed: known.filter(hasDrift).map(({ name, drift }) => ({ name, kinds: drift })),
});
