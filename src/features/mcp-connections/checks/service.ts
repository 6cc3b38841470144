import type { MemberCtx, OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, notFound, Refusal } from "../../../platform/errors.ts";
import { record } from "../../audit/index.ts";
import { findConnection, findUsable } from "../access/index.ts";
import type { VerdictDrift } from "../contract.ts";
import { findHeaders, reportWorked, workWithRenewal } from "../credentials/index.ts";
import { type Discovery, runDiscovery } from "../discovery/index.ts";
import { requireId } from "../find.ts";
import { type ConnectionId, findAccount, type UsableConnection } from "../model.ts";
import { toKept } from "../saving.ts";
import { read } from "../service.ts";
import { recordListing } from "../tools/index.ts";
import { isAboutAccount, listUpstreamTools, UpstreamError, type UpstreamListing } from "../upstream/index.ts";
import { compareVerdicts } from "./compare.ts";
import type { McpConnectionTest } from "./contract.ts";
import * as store from "./store.ts";

export interface Rediscovery {
  /** False when the server could not be reached. Then nothing is compared. */
  isReached: boolean;
  drift: VerdictDrift[];
  /** Fields that changed since the last discovery. */
  newDrift: VerdictDrift[];
}

/** Discovers the server of a connection again, and records what changed since a person accepted the verdict. */
export async function rediscover(platform: Platform, orgId: OrgId, id: ConnectionId): Promise<Rediscovery> {
  const connection = await findConnection(platform, orgId, id);
  if (!connection) throw notFound("mcp_connection");
  const latest = await discoverNow(platform, connection);
  return platform.db.transaction((tx) => recordDiscovery(tx, connection, latest));
}

type Latest = ReturnType<typeof toKept>;

async function discoverNow(platform: Platform, { orgId, url }: UsableConnection): Promise<Latest> {
  const { result, evidence } = await runDiscovery({ ...platform, orgId }, url);
  return toKept(url, result, evidence);
}

async function recordDiscovery(
  tx: Db,
  { orgId, id }: UsableConnection,
  latest: Latest,
): Promise<Rediscovery> {
  const row = await store.lockVerdict(tx, orgId, id);
  if (!row) throw notFound("mcp_connection");
  const earlier = row.drift ?? [];
  if (latest.verdict.status === "unreachable") {
    await store.setHealth(tx, orgId, id, describeUnreachable(latest.verdict));
    return { isReached: false, drift: earlier, newDrift: [] };
  }
  const drift =
    row.verdict.status === "unreachable"
      ? []
      : compareVerdicts(row.verdict, latest.verdict, {
          ...{ issuer: row.authorizationServer, earlier, now: Date.now() },
        });
  if (drift.length === 0) await store.setVerdict(tx, orgId, id, latest);
  else await store.setDrift(tx, orgId, id, drift);
  const isKnown = ({ field, after }: VerdictDrift) =>
    earlier.some((one) => one.field === field && one.after === after);
  return { isReached: true, drift, newDrift: drift.filter((one) => !isKnown(one)) };
}

function describeUnreachable({ warnings }: Discovery): store.Failure {
  const [first] = warnings;
  return {
    step: "reach",
    code: first?.code ?? "mcp_unreachable",
    message: first?.message ?? "The server cannot be reached.",
  };
}

export async function discoverAgain(ctx: MemberCtx, id: string, { accept }: { accept?: true | undefined }) {
  const connectionId = await requireId(ctx, id);
  if (accept) await acceptVerdict(ctx, connectionId);
  else await rediscover(ctx, ctx.orgId, connectionId);
  return read(ctx, connectionId);
}

async function acceptVerdict(ctx: MemberCtx, id: ConnectionId): Promise<void> {
  const connection = await findConnection(ctx, ctx.orgId, id);
  if (!connection) throw notFound("mcp_connection");
  const latest = await discoverNow(ctx, connection);
  const refusal = await ctx.db.transaction(async (tx) => {
    const { isReached, drift, newDrift } = await recordDiscovery(tx, connection, latest);
    if (!isReached) return refuseUnreachable();
    if (drift.length === 0) return undefined;
    const moved = drift.find(({ field }) => field === "authorizationServer");
    if (moved) return refuseMoved(moved);
    // Nobody accepts what they have not seen.
    if (newDrift.length > 0) return refuseUnseen();
    await store.setVerdict(tx, ctx.orgId, id, latest);
    await record(ctx, tx, {
      action: "mcp_connection.verdict_accepted",
      target: { type: "mcp_connection", id },
      before: Object.fromEntries(drift.map(({ field, before }) => [field, before])),
      after: Object.fromEntries(drift.map(({ field, after }) => [field, after])),
    });
    return undefined;
  });
  if (refusal) throw refusal;
}

const refuseMoved = ({ before, after }: VerdictDrift) =>
  conflict(
    "mcp_issuer_moved",
    `The server does not accept tokens of ${before} any more${after === null ? "." : `, but of ${after}.`} Move the connection to another authorization server: members sign in again there.`,
  );

const refuseUnreachable = () =>
  conflict(
    "mcp_server_unreachable",
    "The server cannot be reached, so nothing was accepted. Try again later.",
  );

const refuseUnseen = () =>
  conflict(
    "mcp_verdict_changed",
    "The server requires something else than what was shown. Read the differences again, then accept them.",
  );

type Step = McpConnectionTest["steps"][number];

const testTimeoutMs = 20_000;

/** Opens a session with the caller's credential and lists the tools. */
export async function test(ctx: MemberCtx, id: string): Promise<{ test: McpConnectionTest }> {
  const connection = await findUsable(ctx, id);
  if (!connection) throw notFound("mcp_connection");
  const started = performance.now();
  const measure = (since: number) => Math.round((performance.now() - since) * 10) / 10;
  let headers: Record<string, string>;
  try {
    headers = await findHeaders(ctx, connection);
  } catch (error) {
    return describeMissing(error, measure(started));
  }
  const ready: Step = {
    ...{ step: "credential", ok: true, ms: measure(started) },
    message: Object.keys(headers).length === 0 ? "No credential is needed." : "There is a credential.",
  };
  const asked = performance.now();
  try {
    const listing = await workWithRenewal(ctx, connection, headers, (sent) =>
      listUpstreamTools(ctx, connection, sent, { timeoutMs: testTimeoutMs }),
    );
    await recordAnswer(ctx, connection, listing);
    const message = `The server speaks ${listing.protocolVersion} and lists ${listing.tools.length} tools.`;
    return {
      test: { ok: true, steps: [ready, { step: "list_tools", ok: true, ms: measure(asked), message }] },
    };
  } catch (error) {
    // The credential was ended while the server was asked.
    if (!(error instanceof UpstreamError)) return describeMissing(error, measure(started));
    const failed = await recordFailure(ctx, connection, error);
    return { test: { ok: false, steps: [ready, { ...failed, ok: false, ms: measure(asked) }] } };
  }
}

/** The test of a caller who has no credential that can be sent. */
function describeMissing(error: unknown, ms: number): { test: McpConnectionTest } {
  if (!(error instanceof Refusal)) throw error;
  const failed: Step = {
    ...{ step: "credential", ok: false, ms, code: error.body.error, message: error.message },
  };
  return { test: { ok: false, steps: [failed] } };
}

async function recordAnswer(ctx: MemberCtx, connection: UsableConnection, listing: UpstreamListing) {
  reportWorked(ctx, connection);
  await recordListing(ctx, connection, listing, { account: findAccount(connection, ctx.member.id) });
  await store.setHealth(ctx.db, ctx.orgId, connection.id, null);
  await store.setProtocolVersion(ctx.db, ctx.orgId, connection.id, listing.protocolVersion);
}

async function recordFailure(
  ctx: MemberCtx,
  connection: UsableConnection,
  error: UpstreamError,
): Promise<Pick<Step, "step" | "code" | "message">> {
  const code = error.kind;
  if (error.challenge) return { step: "credential", code, message: error.message };
  // What the server answers to the account of one member says nothing about the others. The watch asks as several.
  if (connection.credential === "per_member" && isAboutAccount(error))
    return { step: error.status === 403 ? "credential" : "list_tools", code, message: error.message };
  const isReached =
    error.kind === "rejected" || error.kind === "invalid_answer" || error.kind === "too_large";
  const failed = { step: isReached ? "list_tools" : "reach", code, message: error.message } as const;
  if (error.kind !== "busy") await store.setHealth(ctx.db, ctx.orgId, connection.id, failed);
  return failed;
}
