import type { MemberId, OrgId, Platform } from "../../../../platform/context.ts";
import type { Db } from "../../../../platform/db/index.ts";
import { fillPolicy, type UsableConnection } from "../../model.ts";
import { announceToolChange } from "../../tool-changes.ts";
import { type NormalizedListing, normalizeListing, type ToolListing } from "../definitions/index.ts";
import { type ConnectionRow, instructionsName, lockConnection } from "../store.ts";
import { recordAccount } from "./accounts.ts";
import { type CompareOptions, compareListing, isUnchanged } from "./compare.ts";
import * as store from "./store.ts";
import { announceDrift, computeRevision, countTools, type Drift, summarize } from "./summary.ts";

export type RecordingPlatform = Pick<Platform, "bus" | "db" | "metrics" | "log">;
export type ListedConnection = Pick<UsableConnection, "id" | "orgId" | "credential" | "policy">;

export interface RecordOptions {
  /**
   * The listing was made by the watch. Accounts can have different tools, so that with an account per member only the
   * watch finds that a tool is gone.
   */
  isWatch?: boolean;
  /** The member whose own account was listed. Null: everybody gets the same tools. */
  account?: MemberId | null;
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
  connection: ListedConnection,
  listing: NormalizedListing,
  { isWatch = false, account = null }: RecordOptions = {},
): Promise<Drift> {
  const { db } = platform;
  const { id, orgId, credential, policy } = connection;
  const options: CompareOptions = {
    findsRemoved: ({ latestHash, isUnseen }) =>
      credential === "shared" || latestHash === null || (isWatch && isUnseen),
  };
  const known = await store.listKnown(db, orgId, id);
  if (account !== null && known.length > 0)
    return recordAccount(platform, connection, account, listing, isWatch);
  if (known.length > 0 && isUnchanged(known, listing, options)) {
    // Every call under a policy that holds tools comes here.
    if (known.some(({ isListedLongAgo }) => isListedLongAgo)) await store.touch(db, orgId, id);
    return summarize(policy, known, listing, true);
  }
  return db.transaction(async (tx) => {
    const row = await lockConnection(tx, orgId, id);
    if (!row) return summarize(policy, [], listing, true);
    if (account !== null && row.hasBaseline)
      return recordAccount({ ...platform, db: tx }, connection, account, listing, isWatch);
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
