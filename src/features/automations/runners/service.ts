import type { MemberCtx } from "../../../platform/context.ts";
import { forbidden, notFound } from "../../../platform/errors.ts";
import {
  cutPageById,
  invalidateCallers,
  type PageQuery,
  readIdCursor,
} from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { hashSecret, newToken } from "../../../platform/secrets.ts";
import { record } from "../../audit/index.ts";
import { keepCredential } from "../../credentials/index.ts";
import type { Permission } from "../../permissions/index.ts";
import { takeQuota } from "../../quotas/index.ts";
import { resolveHolder, resolveReach } from "../runs/index.ts";
import * as contract from "./contract.ts";
import * as store from "./store.ts";

export const runnerPrefix = "sbr_";
const tokenHours = 12;
/** Tokens that a runner can have at once. Each process with its name, and each restart, needs a token. */
const maxTokens = 50;

/** The permissions that a runner token can have, of those that its member has. */
const runnerPermissions: readonly Permission[] = [
  "automations:create",
  "automations:manage",
  "connections:use",
  "telemetry:report",
  // Not for the runner itself, but for the credentials of the runs that it claims.
  "templates:read",
  "llm_providers:use",
  "mcp_connections:use",
];

interface NewRunner {
  runnerId: string;
  platform?: string | undefined;
  version?: string | undefined;
  concurrency: number;
  serves: "own" | "organization";
}

export async function createToken(ctx: MemberCtx, { runnerId, platform, version, ...self }: NewRunner) {
  const { db, orgId, member, caller } = ctx;
  if (self.serves === "organization" && !member.permissions.has("automations:manage")) {
    throw forbidden(
      "missing_permission",
      "Serving the whole organization needs the permission automations:manage. Ask an owner or admin.",
    );
  }
  const token = newToken(runnerPrefix);
  return db.transaction(async (tx) => {
    const described = { ...self, name: runnerId, platform: platform ?? null, version: version ?? null };
    // Runners of workers are limited by the quota of workers.
    const isCounted = caller.credential !== "worker" && !(await store.exists(tx, orgId, member.id, runnerId));
    if (isCounted) await takeQuota(ctx, tx, orgId, "runners");
    await keepCredential(ctx, tx);
    const runner = await store.save(tx, orgId, member.id, newId("rnr"), described);
    const added = await store.addToken(tx, orgId, runner!.id, {
      hash: hashSecret(token),
      permissions: runnerPermissions.filter((name) => member.permissions.has(name)),
      keyId: caller.credential === "key" ? caller.credentialId : null,
      workerId: caller.credential === "worker" ? caller.credentialId : null,
      hours: tokenHours,
    });
    const ended = await store.endOldTokens(tx, orgId, runner!.id, maxTokens);
    if (ended > 0) await invalidateCallers(ctx.bus, tx, runner!.id);
    await record(ctx, tx, {
      action: "automation_runner.token_made",
      target: { type: "automation_runner", id: runner!.id },
      after: { ...described, expiresAt: added!.expiresAt },
    });
    return { token, expiresAt: added!.expiresAt, eventsPath: contract.events.path };
  });
}

export async function list(ctx: MemberCtx, query: PageQuery) {
  return cutPageById(
    await store.list(ctx.db, ctx.orgId, resolveReach(ctx), readIdCursor(query, "rnr"), query.limit + 1),
    query,
  );
}

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const removedCount = isId("rnr", id) ? await store.remove(tx, ctx.orgId, resolveReach(ctx), id) : 0;
    if (removedCount === 0) throw notFound("automation_runner");
    await invalidateCallers(ctx.bus, tx, id);
    await record(ctx, tx, {
      action: "automation_runner.removed",
      target: { type: "automation_runner", id },
    });
  });
}

/** The member whose runs are announced to the caller. Null for a runner that serves all members. */
export async function resolveScope({ db, orgId, caller, member }: MemberCtx): Promise<string | null> {
  const serves =
    caller.credential === "runner" ? await store.findServes(db, orgId, caller.credentialId) : "own";
  return serves === "organization" && member.permissions.has("automations:manage") ? null : member.id;
}

export async function readWork(ctx: MemberCtx) {
  const { db, orgId, caller } = ctx;
  const [items, held] = await Promise.all([
    caller.takesNoWork ? [] : store.listWaiting(db, orgId, await resolveScope(ctx), null, 100),
    store.listHeld(db, orgId, resolveReach(ctx), resolveHolder(ctx)),
  ]);
  return { items, held: held.map(({ cancelRequestedAt: _, ...one }) => one) };
}
