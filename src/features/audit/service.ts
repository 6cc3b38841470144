import { type Ctx, findRights, type MemberCtx, type OrgId } from "../../platform/context.ts";
import { type Db, readBatches } from "../../platform/db/index.ts";
import { notFound } from "../../platform/errors.ts";
import { baseHeaders, readPage } from "../../platform/http/index.ts";
import { isId, newId, newIdAt } from "../../platform/ids.ts";
import { overhead, quotaMeter } from "../quotas/index.ts";
import { appendEntry, changeHead } from "./chain.ts";
import type { AuditEvent, Chain, Filter, listQuery } from "./contract.ts";
import { formatCsvLine } from "./csv.ts";
import {
  type Actor,
  diffStates,
  type Entry,
  removeUnstorable,
  type State,
  serializeState,
  systemActor,
} from "./entry.ts";
import * as store from "./store.ts";
import { findTargetNames } from "./target-names/service.ts";

export interface Change {
  /** What happened, in the past tense: `member.removed`. */
  action: `${string}.${string}`;
  target: { type: string; id: string | null };
  /** With both `before` and `after`, only the differences are stored. Never pass a secret. */
  before?: State | undefined;
  after?: State | undefined;
}

type RequestSource = Pick<Ctx, "caller" | "address" | "userAgent" | "requestId">;

/**
 * Records a change in the transaction that makes it. `orgId` is by default the organization of the caller; null is for
 * the instance. The actor is the caller's person, or for a machine only its credential.
 */
export async function record(
  source: RequestSource & Partial<Pick<Ctx, "state">>,
  tx: Db,
  change: Change,
  orgId: OrgId | null = findRights(source.caller)?.orgId ?? null,
): Promise<void> {
  const { caller } = source;
  if (orgId !== null) await meterEntry(source, tx, orgId, change);
  await appendChange(tx, orgId, change, {
    actorUserId: caller?.userId ?? null,
    actorMemberId: caller?.member?.orgId === orgId ? (caller?.member?.id ?? null) : null,
    actorName: caller?.userId ? ((await store.findUserName(tx, caller.userId))?.name ?? null) : null,
    credential: caller?.credential ?? "system",
    credentialId: caller?.credentialId ?? null,
    address: removeUnstorable(source.address),
    userAgent: removeUnstorable(source.userAgent),
    requestId: source.requestId,
  });
}

/** Limits the log of an unclaimed workspace: its creator is unknown, and everything they do adds an entry. */
async function meterEntry(
  { state }: Partial<Pick<Ctx, "state">>,
  tx: Db,
  orgId: OrgId,
  { before, after }: Change,
): Promise<void> {
  if (!state) return;
  const bytes = overhead.auditEvent + countBytes(before) + countBytes(after);
  const meter = state.get(quotaMeter);
  await meter.check(tx, orgId, "audit_storage", bytes);
  tx.afterCommit(() => meter.add(orgId, "audit_storage", bytes));
}

const countBytes = (state: Change["before"]) => Buffer.byteLength(serializeState(state) ?? "");

/** Records a change in the instance's chain by a user who has no credential yet. The user is actor and target. */
export const recordByUser = (
  { address, userAgent, requestId }: RequestSource,
  db: Db,
  user: { id: string; name: string },
  change: Pick<Change, "action" | "after">,
): Promise<void> =>
  appendChange(
    db,
    null,
    { ...change, target: { type: "user", id: user.id } },
    {
      actorUserId: user.id,
      actorMemberId: null,
      actorName: user.name,
      credential: "system",
      credentialId: null,
      address: removeUnstorable(address),
      userAgent: removeUnstorable(userAgent),
      requestId,
    },
  );

/** Records a change whose actor is known only by membership. */
export async function recordByMember(
  tx: Db,
  orgId: OrgId,
  who: Pick<Entry, "credentialId" | "address" | "userAgent"> & {
    memberId: string | null;
    credential: string | null;
  },
  change: Change,
): Promise<void> {
  const { memberId, credential, credentialId, address, userAgent } = who;
  const person = memberId === null ? undefined : await store.findMember(tx, orgId, memberId);
  await appendChange(tx, orgId, change, {
    actorUserId: person?.userId ?? null,
    actorMemberId: memberId,
    actorName: person?.name ?? null,
    credential: credential ?? "system",
    credentialId,
    address: address === null ? null : removeUnstorable(address),
    userAgent: userAgent === null ? null : removeUnstorable(userAgent),
    requestId: null,
  });
}

/** Records a change that a job made. */
export const recordAsSystem = (tx: Db, orgId: OrgId | null, change: Change): Promise<void> =>
  appendChange(tx, orgId, change, systemActor);

async function appendChange(db: Db, orgId: OrgId | null, change: Change, who: Actor) {
  const states = findChangedStates(change);
  if (!states) return;
  // Appended last in the transaction, because it locks the chain of the organization.
  await db.beforeCommit(async (tx) => {
    await appendEntry(tx, orgId, {
      id: newId("aud"),
      at: Date.now(),
      ...toEntryContent(change, states),
      ...who,
    });
  });
}

/** Records a change with a past time, for history that is written afterwards. Call it in chronological order. */
export async function recordPastChange(
  tx: Db,
  orgId: OrgId | null,
  at: number,
  who: Partial<Actor>,
  change: Change,
): Promise<void> {
  const states = findChangedStates(change);
  if (!states) return;
  const entry = { id: newIdAt("aud", at), at, ...toEntryContent(change, states), ...systemActor, ...who };
  await appendEntry(tx, orgId, entry);
}

/** The newest entry of the instance's chain with this action. */
export const findLatestInstanceEntry = async (db: Db, action: Change["action"]) => {
  const row = await store.findLatestAcrossOrganizations(db, store.instanceScope, action);
  return row && { at: row.at, targetId: row.targetId, after: JSON.parse(row.after ?? "{}") as unknown };
};

/** Removes the instance's chain if every entry is about one of these ids. Returns false when the chain stays. */
export const removeInstanceChain = async (tx: Db, about: readonly string[]): Promise<boolean> =>
  (await store.removeChainAcrossOrganizations(tx, store.instanceScope, about)) > 0;

/** Returns undefined when the states are equal, because then nothing changed. */
function findChangedStates({ before, after }: Change): Pick<Change, "before" | "after"> | undefined {
  if (!before || !after) return { before, after };
  const states = diffStates(before, after);
  return Object.keys({ ...states.before, ...states.after }).length === 0 ? undefined : states;
}

const toEntryContent = ({ action, target }: Change, { before, after }: Pick<Change, "before" | "after">) => ({
  action,
  targetType: target.type,
  targetId: target.id,
  before: serializeState(before),
  after: serializeState(after),
});

export async function list({ db, orgId }: MemberCtx, query: (typeof listQuery)["_output"]) {
  const { limit, cursor, ...filter } = query;
  const { items, nextCursor } = await readPage(store.list(db, orgId, filter), { limit, cursor }, "aud");
  return { items: await toAuditEvents(db, orgId, items), nextCursor };
}

/** Lists the entries of the instance's own chain. */
export async function listInstanceEntries({ db }: Pick<Ctx, "db">, query: (typeof listQuery)["_output"]) {
  const { limit, cursor, ...filter } = query;
  const source = store.listByScope(db, store.instanceScope, filter);
  const { items, nextCursor } = await readPage(source, { limit, cursor }, "aud");
  return { items: await toAuditEvents(db, null, items), nextCursor };
}

export async function read({ db, orgId }: MemberCtx, id: string) {
  return toReply(db, orgId, isId("aud", id) ? await store.find(db, orgId, id) : undefined);
}

/** Reads an entry of the instance's own chain. */
export async function readInstanceEntry({ db }: Pick<Ctx, "db">, id: string) {
  const row = isId("aud", id) ? await store.findInstanceEntryAcrossOrganizations(db, id) : undefined;
  return toReply(db, null, row);
}

async function toReply(db: Db, orgId: OrgId | null, row: store.Row | undefined) {
  if (!row) throw notFound("audit_event");
  const [auditEvent] = await toAuditEvents(db, orgId, [row]);
  return { auditEvent: auditEvent! };
}

async function toAuditEvents(db: Db, orgId: OrgId | null, rows: readonly store.Row[]): Promise<AuditEvent[]> {
  const entries = rows.map((row) => ({
    ...row,
    before: row.before === null ? null : (JSON.parse(row.before) as State),
    after: row.after === null ? null : (JSON.parse(row.after) as State),
  }));
  const names = await findTargetNames(db, orgId, entries);
  return entries.map((entry, place) => {
    const { actorUserId, actorMemberId, actorName, credential, credentialId, ...others } = entry;
    const { targetType, targetId, ...rest } = others;
    return {
      ...rest,
      actor: {
        userId: actorUserId,
        memberId: actorMemberId,
        name: actorName,
        credential: credential as AuditEvent["actor"]["credential"],
        credentialId,
      },
      target: { type: targetType, id: targetId, name: names[place] ?? null },
    };
  });
}

/** Reads the next batch only when the last one was sent, so a slow client keeps one batch in memory. */
export async function exportAll(ctx: MemberCtx, format: "jsonl" | "csv", filter: Filter): Promise<Response> {
  async function* lines() {
    if (format === "csv") yield formatCsvLine();
    const { sequence: end, prunedSequence } = (await readChain(ctx)).chain;
    const batches = readBatches(prunedSequence, async (after, count) => {
      const last = Math.min(after + count, end);
      const batch = await store.listInChainOrder(ctx.db, ctx.orgId, filter, after, last);
      return batch.next === end ? { ...batch, next: undefined } : batch;
    });
    for await (const rows of batches) {
      const events = await toAuditEvents(ctx.db, ctx.orgId, rows);
      yield events.map(format === "csv" ? formatCsvLine : (event) => `${JSON.stringify(event)}\n`).join("");
    }
    yield format === "csv" ? "# complete\r\n" : '{"complete":true}\n';
  }
  const body = ReadableStream.from(lines()).pipeThrough(new TextEncoderStream());
  return new Response(body, {
    headers: {
      ...baseHeaders,
      "content-type": format === "csv" ? "text/csv; charset=utf-8; header=present" : "application/x-ndjson",
      "content-disposition": `attachment; filename="audit.${format}"`,
      "cache-control": "no-store",
    },
  });
}

const emptyChain: Chain = { sequence: 0, hash: "0".repeat(64), prunedSequence: 0, retentionDays: 400 };

export const readChain = async ({ db, orgId }: MemberCtx) => ({
  chain: (await store.findChain(db, orgId)) ?? emptyChain,
});

export async function changeChain(ctx: MemberCtx, { retentionDays }: { retentionDays: number }) {
  await ctx.db.transaction(async (tx) => {
    const before = (await store.findChain(tx, ctx.orgId)) ?? emptyChain;
    await record(ctx, tx, {
      action: "audit.retention_changed",
      target: { type: "audit_chain", id: ctx.orgId },
      before: { retentionDays: before.retentionDays },
      after: { retentionDays },
    });
    // Runs after the entry is appended, because the first entry creates the chain.
    await tx.beforeCommit(() => changeHead(tx, ctx.orgId, { retentionDays }));
  });
  return readChain(ctx);
}
