import { hash } from "node:crypto";
import type { Ctx, MemberCtx, OrgId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { notFound } from "../../platform/errors.ts";
import { afterOf, baseHeaders } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import type { AuditEvent, Chain, Filter, listQuery } from "./contract.ts";
import { toCsv } from "./csv.ts";
import { canonical, difference, type Entry, type State, stateText, storable } from "./entry.ts";
import * as store from "./store.ts";

export interface Change {
  /** What happened, in the past tense: `member.removed`. */
  action: `${string}.${string}`;
  target: { type: string; id: string | null };
  /** Given both, only what differs is kept. Never a secret. */
  before?: State | undefined;
  after?: State | undefined;
}

type Author = Pick<Ctx, "caller" | "address" | "userAgent" | "requestId">;

/**
 * Notes a change, with the transaction that makes it: both are there, or neither is. `orgId` is the
 * caller's organization unless said otherwise; null for what belongs to the instance.
 */
export async function record(
  author: Author,
  tx: Db,
  change: Change,
  orgId: OrgId | null = author.caller?.member?.orgId ?? null,
): Promise<void> {
  const { caller } = author;
  await append(tx, orgId, change, {
    actorUserId: caller?.userId ?? null,
    actorMemberId: caller?.member?.orgId === orgId ? (caller?.member?.id ?? null) : null,
    actorName: caller?.userId ? ((await store.nameOf(tx, caller.userId))?.name ?? null) : null,
    credential: caller?.credential ?? "system",
    credentialId: caller?.credentialId ?? null,
    address: storable(author.address),
    userAgent: storable(author.userAgent),
    requestId: author.requestId,
  });
}

/** The same, of the instance, by somebody who has no credential yet: they are who it is about. */
export const recordOfUser = (
  { address, userAgent, requestId }: Author,
  db: Db,
  user: { id: string; name: string },
  change: Pick<Change, "action" | "after">,
): Promise<void> =>
  append(
    db,
    null,
    { ...change, target: { type: "user", id: user.id } },
    {
      actorUserId: user.id,
      actorMemberId: null,
      actorName: user.name,
      credential: "system",
      credentialId: null,
      address: storable(address),
      userAgent: storable(userAgent),
      requestId,
    },
  );

/** The same by whoever is known only by their membership. */
export async function recordBy(
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
  await append(tx, orgId, change, {
    actorUserId: person?.userId ?? null,
    actorMemberId: memberId,
    actorName: person?.name ?? null,
    credential: credential ?? "system",
    credentialId,
    address: address === null ? null : storable(address),
    userAgent: userAgent === null ? null : storable(userAgent),
    requestId: null,
  });
}

/** The same for what a job did. */
export const recordAsSystem = (tx: Db, orgId: OrgId | null, change: Change): Promise<void> =>
  append(tx, orgId, change, {
    actorUserId: null,
    actorMemberId: null,
    actorName: null,
    credential: "system",
    credentialId: null,
    address: null,
    userAgent: null,
    requestId: null,
  });

type Who = Pick<
  Entry,
  | "actorUserId"
  | "actorMemberId"
  | "actorName"
  | "credential"
  | "credentialId"
  | "address"
  | "userAgent"
  | "requestId"
>;

async function append(db: Db, orgId: OrgId | null, { action, target, before, after }: Change, who: Who) {
  const states = before && after ? difference(before, after) : { before, after };
  // Asked for what is already so, nothing has changed.
  if (before && after && Object.keys({ ...states.before, ...states.after }).length === 0) return;
  // As the last thing in the transaction: everybody in the organization wants the end of the chain.
  await db.beforeCommit(async (tx) => {
    await store.append(tx, orgId, {
      id: newId("aud"),
      at: Date.now(),
      action,
      ...who,
      targetType: target.type,
      targetId: target.id,
      before: stateText(states.before),
      after: stateText(states.after),
    });
  });
}

export async function list({ db, orgId }: MemberCtx, query: (typeof listQuery)["_output"]) {
  const { limit, cursor, ...filter } = query;
  const rows = await store.list(db, orgId, filter, afterOf({ limit, cursor }), limit + 1);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items: items.map(eventOf),
    nextCursor: rows.length > limit && last ? Buffer.from(last.id).toString("base64url") : null,
  };
}

export async function read({ db, orgId }: MemberCtx, id: string) {
  const row = isId("aud", id) ? await store.find(db, orgId, id) : undefined;
  if (!row) throw notFound("audit_event");
  return { auditEvent: eventOf(row) };
}

function eventOf(row: store.Row): AuditEvent {
  const { actorUserId, actorMemberId, actorName, credential, credentialId, targetType, targetId, ...rest } =
    row;
  return {
    ...rest,
    actor: {
      userId: actorUserId,
      memberId: actorMemberId,
      name: actorName,
      credential: credential as AuditEvent["actor"]["credential"],
      credentialId,
    },
    target: { type: targetType, id: targetId },
    before: row.before === null ? null : JSON.parse(row.before),
    after: row.after === null ? null : JSON.parse(row.after),
  };
}

const exportStep = 500;

/** Page after page, read when the last one is on its way: a slow reader holds one of them. */
export async function exportAll(ctx: MemberCtx, format: "jsonl" | "csv", filter: Filter): Promise<Response> {
  async function* lines() {
    let after = 0;
    if (format === "csv") yield toCsv();
    for (;;) {
      const rows = await store.listUp(ctx.db, ctx.orgId, filter, after, exportStep);
      if (rows.length > 0) {
        const events = rows.map(eventOf);
        yield events.map(format === "csv" ? toCsv : (event) => `${JSON.stringify(event)}\n`).join("");
        after = rows.at(-1)!.sequence;
      }
      if (rows.length < exportStep) break;
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

const noChain: Chain = { sequence: 0, hash: "0".repeat(64), prunedSequence: 0, retentionDays: 400 };

export const readChain = async ({ db, orgId }: MemberCtx) => ({
  chain: (await store.findChain(db, orgId)) ?? noChain,
});

export async function changeChain(ctx: MemberCtx, { retentionDays }: { retentionDays: number }) {
  await ctx.db.transaction(async (tx) => {
    const before = (await store.findChain(tx, ctx.orgId)) ?? noChain;
    await record(ctx, tx, {
      action: "audit.retention_changed",
      target: { type: "audit_chain", id: ctx.orgId },
      before: { retentionDays: before.retentionDays },
      after: { retentionDays },
    });
    // After the entry, which makes the chain where there was none.
    await tx.beforeCommit(async () => void (await store.setRetention(tx, ctx.orgId, retentionDays)));
  });
  return readChain(ctx);
}

export interface Verdict {
  /** The organization's id, or `instance`. */
  scope: string;
  entries: number;
  sequence: number;
  hash: string;
  /** What is wrong, in order; empty when the chain is whole. */
  faults: string[];
}

const verifyStep = 1_000;
const maxFaults = 20;

/** An entry that somebody noted elsewhere. */
export interface Expected {
  scope: string;
  sequence: number;
  hash: string;
}

/** Walks every chain, or one, and says where it does not hold. */
export async function* verifyAll(
  db: Db,
  { only, expected = [] }: { only?: string | undefined; expected?: readonly Expected[] } = {},
): AsyncGenerator<Verdict> {
  let after = "";
  for (;;) {
    const chains = await store.listChainsOfAll(db, after, 100);
    for (const chain of chains) {
      if (only !== undefined && chain.scope !== only) continue;
      yield verify(
        db,
        chain,
        new Map(expected.filter(({ scope }) => scope === chain.scope).map((one) => [one.sequence, one.hash])),
      );
    }
    if (chains.length < 100) return;
    after = chains.at(-1)!.scope;
  }
}

async function verify(
  db: Db,
  chain: store.ChainRow,
  expected: ReadonlyMap<number, string>,
): Promise<Verdict> {
  const { scope, prunedSequence, prunedHash, sequence } = chain;
  const faults: string[] = [];
  const fault = (text: string) => void (faults.length < maxFaults && faults.push(text));
  let entries = 0;
  let at = prunedSequence;
  let before = prunedHash;
  for (;;) {
    const rows = await store.listChainOfAll(db, scope, at, sequence, verifyStep);
    for (const row of rows) {
      if (row.sequence !== at + 1) fault(`${nameRange(at + 1, row.sequence - 1)} missing`);
      else if (row.previousHash !== before) fault(`entry ${row.sequence} does not follow the one before it`);
      if (hashOf(row) !== row.hash) fault(`entry ${row.sequence} (${row.id}, ${row.action}) was changed`);
      const noted = expected.get(row.sequence);
      if (noted && noted !== row.hash) fault(`entry ${row.sequence} is not the one that was noted`);
      at = row.sequence;
      before = row.hash;
      entries++;
    }
    if (rows.length < verifyStep) break;
  }
  if (at < sequence) fault(`${nameRange(at + 1, sequence)} missing at the end`);
  else if (before !== chain.hash) fault(`entry ${at} is not the one that the chain ends with`);
  for (const noted of expected.keys())
    if (noted > sequence) fault(`the chain ends at ${sequence}, before the noted entry ${noted}`);
  const beyond = await store.countBeyondOfAll(db, scope, sequence, prunedSequence);
  if (beyond?.count) fault(`${beyond.count} entries lie outside of the chain`);
  return { scope, entries, sequence, hash: chain.hash, faults };
}

const nameRange = (from: number, to: number) =>
  from === to ? `entry ${from} is` : `entries ${from} to ${to} are`;

const hashOf = (row: store.Row): string =>
  hash(
    "sha256",
    Buffer.concat([Buffer.from(row.previousHash, "hex"), Buffer.from(`${row.sequence} ${canonical(row)}`)]),
    "hex",
  );

/** For the job that lets entries go when their time is over. */
export async function pruneAll(db: Db): Promise<void> {
  for (;;) {
    const overdue = await store.listOverdueOfAll(db, 50);
    if (overdue.length === 0) return;
    let removed = 0;
    for (const { scope } of overdue)
      removed += await db.transaction((tx) => store.pruneOfAll(tx, scope, verifyStep));
    // Only what a clock that went back keeps in place is left.
    if (removed === 0) return;
  }
}
