import { createHash } from "node:crypto";
import type { MemberCtx, MemberId, Platform } from "../../../platform/context.ts";
import { Refusal } from "../../../platform/errors.ts";
import { workFairly } from "../../../platform/fair-work.ts";
import { createMembership } from "../../credentials/index.ts";
import { announce } from "../../notifications/index.ts";
import { findConnection } from "../access/index.ts";
import { type Rediscovery, rediscover, setHealth, setProtocolVersion } from "../checks/index.ts";
import { findHeaders, reportWorked, workWithRenewal } from "../credentials/index.ts";
import { findAccount, type UsableConnection } from "../model.ts";
import { recordListing } from "../tools/index.ts";
import { isAboutAccount, listUpstreamTools, UpstreamError, type UpstreamListing } from "../upstream/index.ts";
import * as store from "./store.ts";

const timeoutMs = 30_000;
/** The next run continues with the rest. */
const maxRoundMs = 50_000;
const batchSize = 20;
const maxPerOrganization = 4;
const queueLimits = { capacity: 8, maxWaitMs: 10 * 60_000, maxWaiting: 10_000, maxWaitingPerKey: 1_000 };
/** How many members' credentials are tried, when servers refuse them. */
const maxHolders = 3;
/** People are told after this many failures in a row, because one failure is often a restart. */
const failuresBeforeNotice = 2;

/** Checks the connections that are due, a few per organization at a time. */
export async function watchConnections(platform: Platform): Promise<void> {
  const until = Date.now() + maxRoundMs;
  await workFairly({
    queue: platform.queues("mcp_watch", queueLimits),
    take: async (busy) =>
      Date.now() < until && platform.jobs.isReady()
        ? store.claimDueAcrossOrganizations(platform.db, busy, maxPerOrganization, batchSize)
        : [],
    getKey: ({ orgId }) => orgId,
    work: (due) => checkConnection(platform, due),
    perKey: maxPerOrganization,
  });
}

async function checkConnection(platform: Platform, due: store.DueConnection): Promise<void> {
  const { db, log, metrics } = platform;
  const { orgId, id } = due;
  const connection = await findConnection(platform, orgId, id);
  if (!connection) return;
  try {
    const isReached = due.isDiscoveryDue && (await compareVerdict(platform, connection));
    const listed = await listAsHolder(platform, connection);
    if (listed) await recordAnswer(platform, connection, listed);
    // Nobody is connected whose next listing would show that the server is back.
    else if (isReached) await store.setReached(db, orgId, id);
    await (listed ? store.setChecked : store.setWithoutCredential)(db, orgId, id);
    metrics.count("mcp_checks_total", { outcome: listed ? "listed" : "no_credential" });
  } catch (error) {
    // It says nothing about the server. The check is due again when its lease ends.
    if (hasNoCapacity(error)) return metrics.count("mcp_checks_total", { outcome: "postponed" });
    if (!(error instanceof UpstreamError) && !(error instanceof Refusal))
      log.warn({ connectionId: id, err: error }, "check of an MCP connection failed");
    await recordFailure(platform, connection, error);
    metrics.count("mcp_checks_total", { outcome: "failed" });
  }
}

/** Whether this instance had no place for a session or a discovery. Such a discovery is refused with `retry-after`. */
const hasNoCapacity = (error: unknown): boolean =>
  error instanceof UpstreamError
    ? error.kind === "busy"
    : error instanceof Refusal && error.headers["retry-after"] !== undefined;

/**
 * Compares what the server requires with what a person accepted. People are told about each change once. Returns whether
 * the server was reached.
 */
async function compareVerdict(platform: Platform, { orgId, id }: UsableConnection): Promise<boolean> {
  const { isReached, newDrift } = await rediscover(platform, orgId, id);
  if (newDrift.length === 0) return isReached;
  await platform.db.transaction((tx) =>
    announce(tx, orgId, {
      ...{ type: "mcp_connection.drift", connectionId: id, revision: createRevision(newDrift) },
      ...{ kinds: ["verdict_changed"], tools: [], toolCount: 0, heldTools: 0, instructions: false },
      verdictFields: newDrift.map(({ field }) => field),
    }),
  );
  return isReached;
}

const createRevision = (drift: Rediscovery["newDrift"]) =>
  createHash("sha256")
    .update(JSON.stringify(drift.map(({ field, after }) => [field, after])))
    .digest("hex")
    .slice(0, 32);

/**
 * Lists the tools with the shared credential, or with that of a member who is connected. Undefined when nobody is, or
 * when the server refuses the credentials: that concerns these members and not the connection.
 */
async function listAsHolder(
  platform: Platform,
  connection: UsableConnection,
): Promise<{ listing: UpstreamListing; account: MemberId | null } | undefined> {
  const { orgId, id, credential } = connection;
  let refusal: UpstreamError | undefined;
  for (const row of await store.listHolders(platform.db, orgId, id, maxHolders)) {
    const ctx = createHolderCtx(platform, connection, row);
    try {
      const headers = await findHeaders(ctx, connection);
      const listing = await workWithRenewal(ctx, connection, headers, (sent) =>
        listUpstreamTools(platform, connection, sent, { timeoutMs, isFresh: true }),
      );
      reportWorked(ctx, connection);
      return { listing, account: findAccount(connection, ctx.member.id) };
    } catch (error) {
      const isChallenge = error instanceof UpstreamError && error.challenge !== undefined;
      if (isChallenge) continue;
      if (credential === "per_member" && isAboutAccount(error)) refusal = error;
      else if (!(error instanceof Refusal)) throw error;
    }
  }
  // A server that does not allow these accounts works. Any other refusal of all of them is a failure.
  if (refusal && refusal.status !== 403) throw refusal;
  return undefined;
}

/** The watch acts for a member only at the server of the connection. It reaches nothing else with this context. */
function createHolderCtx(
  platform: Platform,
  { orgId, id }: UsableConnection,
  row: Awaited<ReturnType<typeof store.listHolders>>[number],
): MemberCtx {
  const member = createMembership(row, []);
  return {
    ...platform,
    ...{ orgId, member, userId: row.userId, permissions: member.permissions },
    ...{ requestId: `watch of ${id}`, address: "", userAgent: "" },
    caller: { principal: "member", userId: row.userId, member, credential: "session", credentialId: "" },
  };
}

async function recordAnswer(
  platform: Platform,
  connection: UsableConnection,
  { listing, account }: { listing: UpstreamListing; account: MemberId | null },
): Promise<void> {
  const { orgId, id } = connection;
  await recordListing(platform, connection, listing, { isWatch: true, account });
  await setHealth(platform.db, orgId, id, null);
  await setProtocolVersion(platform.db, orgId, id, listing.protocolVersion);
}

/** What was known about the tools stays: a failed listing removes nothing. */
async function recordFailure(
  { db }: Platform,
  { orgId, id }: UsableConnection,
  error: unknown,
): Promise<void> {
  const failure = describeFailure(error);
  await db.transaction(async (tx) => {
    await setHealth(tx, orgId, id, failure);
    const row = await store.setFailed(tx, orgId, id);
    if (!row || row.failures < failuresBeforeNotice || row.since === null) return;
    await announce(tx, orgId, {
      type: "mcp_connection.failing",
      connectionId: id,
      since: row.since,
      ...failure,
    });
  });
}

function describeFailure(error: unknown): { step: string; code: string; message: string } {
  if (error instanceof Refusal) return { step: "discover", code: error.body.error, message: error.message };
  if (!(error instanceof UpstreamError))
    return {
      step: "list_tools",
      code: "internal_error",
      message: "The check failed because of a fault of this instance.",
    };
  const isReached = ["rejected", "invalid_answer", "too_large"].includes(error.kind);
  return { step: isReached ? "list_tools" : "reach", code: error.kind, message: error.message };
}
