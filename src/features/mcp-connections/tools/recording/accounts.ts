import type { MemberId, OrgId, Platform } from "../../../../platform/context.ts";
import type { Db } from "../../../../platform/db/index.ts";
import { type ConnectionId, fillPolicy, type UsableConnection } from "../../model.ts";
import { announceToolChange } from "../../tool-changes.ts";
import * as accounts from "../accounts/index.ts";
import { classifyChange, findRenames } from "../comparison/index.ts";
import type { ToolDefinition } from "../contract.ts";
import type { NormalizedListing } from "../definitions/index.ts";
import { instructionsName, lockConnection, setCounts } from "../store.ts";
import * as store from "./store.ts";
import { announceDrift, computeRevision, countTools, type Drift, summarize } from "./summary.ts";

type AccountConnection = Pick<UsableConnection, "id" | "orgId" | "policy">;

/**
 * Compares the listing of one member's account with the approved tools. What differs is kept for this member alone: an
 * account that can define tools at the server must not hold the tools of others.
 */
export async function recordAccount(
  platform: Pick<Platform, "bus" | "db" | "metrics">,
  connection: AccountConnection,
  account: MemberId,
  listing: NormalizedListing,
  isWatch: boolean,
): Promise<Drift> {
  const { db } = platform;
  const { id, orgId, policy } = connection;
  const known = await store.listKnown(db, orgId, id);
  const own = await accounts.list(db, orgId, id, account);
  if (isSame(own, listDiffering(known, listing)) && findPresence(known, listing, isWatch).isSame) {
    if (known.some(({ isListedLongAgo }) => isListedLongAgo)) await store.touch(db, orgId, id);
    return { ...summarize(policy, known, listing, true), changed: toChanged(own) };
  }
  return db.transaction(async (tx) => {
    const row = await lockConnection(tx, orgId, id);
    if (!row) return summarize(policy, [], listing, true);
    const before = await store.listKnown(tx, orgId, id);
    const earlier = computeRevision([...before, ...(await accounts.listVariants(tx, orgId, id))]);
    const approved = new Map(
      (
        await store.listApproved(
          tx,
          orgId,
          id,
          before.map(({ name }) => name),
        )
      ).flatMap(({ name, approved }) => (approved ? [[name, approved] as const] : [])),
    );
    const changes = compareAccount(before, listing, approved);
    await accounts.replace(tx, orgId, id, account, changes);
    const { seen, removed } = findPresence(before, listing, isWatch);
    await accounts.see(tx, orgId, id, seen);
    await accounts.setRemoved(tx, orgId, id, removed);
    const after = await store.listKnown(tx, orgId, id);
    const variants = await accounts.listVariants(tx, orgId, id);
    const counts = countTools(fillPolicy(row.policy), after, variants);
    await store.setListed(tx, orgId, id, { ...counts, omittedTools: listing.omitted, isBaseline: false });
    // People are told about an account once a day: a member could change tools at the server with every call.
    const event = `${account} ${new Date().toISOString().slice(0, 10)}`;
    if (computeRevision([...after, ...variants]) !== earlier)
      await announceDrift(tx, orgId, id, [...after, ...variants], event, counts.heldTools);
    await announceToolChange(platform, tx, orgId);
    for (const { drift } of changes)
      for (const kind of drift) platform.metrics.count("mcp_tool_changes_total", { kind });
    return { ...summarize(policy, after, listing, false), ...counts, changed: toChanged(changes) };
  });
}

/** Forgets the account of a member, because it was ended. */
export async function forgetAccount(tx: Db, orgId: OrgId, id: ConnectionId, account: string): Promise<void> {
  const row = await lockConnection(tx, orgId, id);
  if (!row || (await accounts.removeOf(tx, orgId, id, account)) === 0) return;
  const known = await store.listKnown(tx, orgId, id);
  const variants = await accounts.listVariants(tx, orgId, id);
  await setCounts(tx, orgId, id, countTools(fillPolicy(row.policy), known, variants));
}

const toChanged = (tools: readonly Pick<accounts.AccountChange, "name" | "drift">[]): Drift["changed"] =>
  tools.map(({ name, drift }) => ({ name, kinds: [...drift] }));

/** Names and hashes of what the account lists differently. Instructions that an account does not get are no difference. */
function listDiffering(known: readonly store.KnownTool[], { tools, instructions }: NormalizedListing) {
  const approved = new Map(known.map(({ name, approvedHash }) => [name, approvedHash]));
  const listed = [...tools].map(([name, { hash }]) => ({ name, latestHash: hash }));
  if (instructions) listed.push({ name: instructionsName, latestHash: instructions.hash });
  return listed.filter(({ name, latestHash }) => (approved.get(name) ?? null) !== latestHash);
}

function isSame(own: readonly accounts.AccountTool[], differing: ReturnType<typeof listDiffering>): boolean {
  const hashes = new Map(own.map(({ name, latestHash }) => [name, latestHash]));
  return (
    hashes.size === differing.length &&
    differing.every(({ name, latestHash }) => hashes.get(name) === latestHash)
  );
}

/** Which approved tools are there for all accounts together. One that no account listed for a day is gone. */
function findPresence(known: readonly store.KnownTool[], { tools }: NormalizedListing, isWatch: boolean) {
  const kept = known.filter(({ name, approvedHash }) => name !== instructionsName && approvedHash !== null);
  const seen = kept.filter(
    ({ name, latestHash, isSeenLongAgo }) => tools.has(name) && (latestHash === null || isSeenLongAgo),
  );
  const removed = kept.filter(
    ({ name, latestHash, isUnseen }) => isWatch && isUnseen && !tools.has(name) && latestHash !== null,
  );
  const toNames = (rows: readonly store.KnownTool[]) => rows.map(({ name }) => name);
  return {
    seen: toNames(seen),
    removed: toNames(removed),
    isSame: seen.length === 0 && removed.length === 0,
  };
}

function compareAccount(
  known: readonly store.KnownTool[],
  listing: NormalizedListing,
  approved: ReadonlyMap<string, ToolDefinition>,
): accounts.AccountChange[] {
  const differing = listDiffering(known, listing);
  const renames = findRenames(
    [...approved].flatMap(([name, definition]) => (listing.tools.has(name) ? [] : [definition])),
    differing.flatMap(({ name }) => {
      const listed = approved.has(name) ? undefined : listing.tools.get(name);
      return listed ? [listed.definition] : [];
    }),
  );
  return differing.flatMap(({ name, latestHash }): accounts.AccountChange[] => {
    if (name === instructionsName)
      return [
        {
          ...{ name, latestHash, latest: listing.instructions?.text ?? null, renamedFrom: null },
          drift: ["instructions_changed"],
        },
      ];
    const latest = listing.tools.get(name)?.definition;
    if (!latest) return [];
    const before = approved.get(name);
    const renamedFrom = before ? null : (renames.get(name) ?? null);
    const drift = before
      ? classifyChange(before, latest)
      : [renamedFrom === null ? ("added" as const) : ("renamed" as const)];
    return [{ name, latestHash, latest, renamedFrom, drift }];
  });
}
