import fc from "fast-check";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { useClock } from "../../../test/clock.ts";
import { createWorkspace, useServer, type Workspace } from "../../../test/harness.ts";
import type { OrgId } from "../../platform/context.ts";
import { createDb, type Db, raw, sql } from "../../platform/db/index.ts";
import { newId } from "../../platform/ids.ts";
import { createKeyring } from "../../platform/keyring.ts";
import { createLog } from "../../platform/log.ts";
import { appendEntry, hashEntry } from "./chain.ts";
import { type Entry, systemActor } from "./entry.ts";
import { recordAsSystem, renewChainSignatures, signChains, type Verdict, verifyChains } from "./index.ts";
import { pruneChains } from "./prune.ts";
import * as store from "./store.ts";
import type { VerifyOptions } from "./verify.ts";

const atTime = useClock();
const server = useServer();
const dayMs = 24 * 3600_000;
let other: Workspace;
beforeAll(async () => {
  other = await createWorkspace(server, "Other");
  await rename("Other 2", other);
});

const rename = (name: string, { owner }: Workspace) =>
  server.call("/v1/organization", { method: "PATCH", body: { name }, headers: owner.auth });

/** Creates an organization whose chain has this many entries. */
async function workspaceWith(entries: number): Promise<Workspace> {
  const globex = await createWorkspace(server, "Globex");
  for (let i = 1; i < entries; i++) await rename(`Name ${i}`, globex);
  return globex;
}

async function findVerdict(scope: string, db: Db = server.platform.db, options: VerifyOptions = {}) {
  for await (const verdict of verifyChains(db, { only: scope, ...options })) return verdict;
  throw new Error(`no verdict on ${scope}`);
}

const entryNow = (action: string): Entry => ({
  id: newId("aud"),
  at: Date.now(),
  action,
  ...systemActor,
  targetType: "test",
  targetId: null,
  before: null,
  after: null,
});

/** Runs `work` as an attacker would who can write to the database but does not have the secret. */
async function asIntruder(tx: Db, work: () => Promise<unknown>): Promise<void> {
  await tx.run(sql`alter table audit_events disable trigger all`);
  await work();
  await tx.run(sql`alter table audit_events enable trigger all`);
}

/** Computes every hash after the pruned end again, so that the chain is consistent in itself. */
async function rehash(tx: Db, scope: string): Promise<void> {
  const chain = (await store.findHeadAcrossOrganizations(tx, scope))!;
  let before = chain.prunedHash;
  let at = chain.prunedSequence;
  for (const row of await store.listEntriesAcrossOrganizations(tx, scope, at, 1e9, 1_000)) {
    at++;
    const hash = hashEntry(before, at, row);
    await tx.run(sql`update audit_events set seq = ${at}, previous = decode(${before}, 'hex'),
      hash = decode(${hash}, 'hex') where scope = ${scope} and id = ${row.id}`);
    before = hash;
  }
  await tx.run(
    sql`update audit_chains set seq = ${at}, hash = decode(${before}, 'hex') where scope = ${scope}`,
  );
}

const length = 8;
const position = fc.integer({ min: 1, max: length });
const columns = ["action", "actor_user_id", "actor_name", "address", "target_id", "request_id", "credential"];
const kind = <K extends string>(name: K) => fc.record({ kind: fc.constant(name), at: position });
const tampering = fc.oneof(
  fc.record({ kind: fc.constant("changed" as const), at: position, column: fc.constantFrom(...columns) }),
  kind("state changed"),
  kind("moved in time"),
  kind("removed"),
  kind("inserted"),
  kind("swapped"),
  kind("moved to another chain"),
  kind("truncated"),
  kind("pruning forged"),
  kind("pruning mark moved"),
  kind("retention changed"),
  kind("chain removed"),
  kind("signature copied from another chain"),
  kind("signature removed"),
);

async function tamper(
  tx: Db,
  scope: string,
  one: { kind: string; at: number; column?: string },
): Promise<void> {
  const { at } = one;
  const last = Math.min(at, length - 1);
  const here = sql`scope = ${scope} and seq = ${at}`;
  if (one.kind === "changed")
    await tx.run(sql`update audit_events set ${raw(one.column!)} = 'tampered' where ${here}`);
  if (one.kind === "state changed")
    await tx.run(sql`update audit_events set after = '{"name":"innocent"}' where ${here}`);
  if (one.kind === "moved in time")
    await tx.run(sql`update audit_events set at = at + interval '1 hour' where ${here}`);
  if (one.kind === "removed") await tx.run(sql`delete from audit_events where ${here}`);
  if (one.kind === "inserted") {
    await tx.run(sql`update audit_events set seq = seq + 1000 where scope = ${scope} and seq >= ${at}`);
    await tx.run(sql`
      insert into audit_events (scope, seq, id, at, action, credential, target_type, previous, hash)
      select scope, ${at}, 'aud_forged', now(), 'member.removed', 'session', 'member', hash, sha256(hash)
      from audit_chains where scope = ${scope}`);
    await tx.run(sql`update audit_events set seq = seq - 999 where scope = ${scope} and seq > 1000`);
  }
  if (one.kind === "swapped") {
    const move = (from: number, to: number) =>
      tx.run(sql`update audit_events set seq = ${to} where scope = ${scope} and seq = ${from}`);
    await move(last, 5000);
    await move(last + 1, last);
    await move(5000, last + 1);
  }
  if (one.kind === "moved to another chain")
    await tx.run(sql`update audit_events set scope = ${other.orgId}, seq = 3 where ${here}`);
  if (one.kind === "truncated") {
    await tx.run(sql`delete from audit_events where scope = ${scope} and seq > ${last}`);
    await tx.run(sql`update audit_chains c set seq = e.seq, hash = e.hash, previous = e.previous
      from audit_events e where c.scope = ${scope} and e.scope = ${scope} and e.seq = ${last}`);
  }
  if (one.kind === "pruning forged" || one.kind === "pruning mark moved")
    await tx.run(sql`update audit_chains c set pruned_seq = e.seq, pruned_hash = e.hash, pruned_at = now()
      from audit_events e where c.scope = ${scope} and e.scope = ${scope} and e.seq = ${last}`);
  if (one.kind === "pruning forged")
    await tx.run(sql`delete from audit_events where scope = ${scope} and seq <= ${last}`);
  if (one.kind === "retention changed")
    await tx.run(sql`update audit_chains set retention_days = 0 where scope = ${scope}`);
  if (one.kind === "chain removed") {
    await tx.run(sql`delete from audit_events where scope = ${scope}`);
    await tx.run(sql`delete from audit_chains where scope = ${scope}`);
  }
  if (one.kind === "signature copied from another chain")
    await tx.run(sql`update audit_chains set signature =
      (select signature from audit_chains where scope = ${other.orgId}) where scope = ${scope}`);
  if (one.kind === "signature removed")
    await tx.run(sql`update audit_chains set signature = null where scope = ${scope}`);
}

/** These kinds change no entry, so there is nothing to rehash. */
const changesNoEntry = ["retention changed", "chain removed", "pruning mark moved"];

describe("an attacker with access to the database but without the secret", () => {
  test("cannot change anything unnoticed", { timeout: 240_000 }, async () => {
    const { db } = server.platform;
    const { orgId: scope } = await workspaceWith(length);
    expect((await findVerdict(scope)).faults).toEqual([]);
    const attack = fc.record({
      tampering,
      // Makes the chain consistent in itself again, so that only the signature shows the change.
      rehashes: fc.boolean(),
      removesSignature: fc.boolean(),
      // The service adds an entry afterwards. It must not sign the changed chain.
      goesOn: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(attack, async ({ tampering: one, rehashes, removesSignature, goesOn }) => {
        const faults = await db
          .transaction(async (tx) => {
            await asIntruder(tx, async () => {
              await tamper(tx, scope, one);
              if (rehashes && !changesNoEntry.includes(one.kind)) await rehash(tx, scope);
              if (removesSignature)
                await tx.run(sql`update audit_chains set signature = null where scope = ${scope}`);
            });
            // An inserted entry takes up the next sequence number, so the service could not append.
            if (goesOn && (rehashes || one.kind !== "inserted"))
              await appendEntry(tx, scope as OrgId, entryNow("organization.changed"));
            throw (await findVerdict(scope, tx)).faults;
          })
          .catch((thrown: string[]) => thrown);
        expect(faults, JSON.stringify(one)).not.toEqual([]);
        expect(faults).toEqual(faults.filter((text: unknown) => typeof text === "string"));
      }),
      { numRuns: 150, seed: 7 },
    );
    expect((await findVerdict(scope)).faults).toEqual([]);
  });

  test("cannot prune unnoticed, even if the entry that the operator noted still exists", async () => {
    const { db } = server.platform;
    const { orgId: scope } = await workspaceWith(5);
    const { sequence, hash } = await findVerdict(scope);
    await db.transaction((tx) => asIntruder(tx, () => tamper(tx, scope, { kind: "pruning forged", at: 3 })));
    const expected = [{ scope, sequence, hash }];
    expect((await findVerdict(scope, db, { expected })).faults).toEqual([
      "the signature does not match this chain: its end, its pruning mark or its retention was changed outside of Signalbox",
    ]);
    const below = [{ scope, sequence: 2, hash: "0".repeat(64) }];
    const { faults } = await findVerdict(scope, db, { expected: below });
    expect(faults.at(-1)).toBe(
      "the noted entry 2 no longer exists: entries up to 3 are marked as pruned, and the mark is not signed",
    );
  });

  test("cannot make the service prune entries by changing their dates or the retention", async () => {
    const { db } = server.platform;
    const log = createLog("silent");
    const backdated = await workspaceWith(4);
    const shortened = await workspaceWith(4);
    await db.transaction((tx) =>
      asIntruder(tx, async () => {
        await tx.run(
          sql`update audit_events set at = at - interval '2 years' where scope = ${backdated.orgId}`,
        );
        await tx.run(sql`update audit_chains set retention_days = 0 where scope = ${shortened.orgId}`);
      }),
    );
    const warn = vi.spyOn(log, "warn");
    await pruneChains({ db, log }, Date.now() + 1_000);
    for (const { orgId } of [backdated, shortened])
      expect(await findVerdict(orgId)).toMatchObject({ entries: 4, pruned: 0 });
    expect(warn).toHaveBeenCalledTimes(2);
  });

  test("cannot remove a chain unnoticed, even after the next entry has started another", async () => {
    const { db } = server.platform;
    const gone = await workspaceWith(3);
    await db.transaction((tx) =>
      asIntruder(tx, () => tamper(tx, gone.orgId, { kind: "chain removed", at: 1 })),
    );
    expect((await findVerdict(gone.orgId)).faults).toEqual(["the organization has no chain: it was removed"]);
    await rename("Again", gone);
    expect((await findVerdict(gone.orgId)).faults).toEqual([
      "the chain was started late: an earlier chain was removed and is lost",
    ]);
  });

  test("cannot remove the chain of the instance unnoticed, or leave a chain without its organization", async () => {
    const { db } = server.platform;
    const left = await workspaceWith(2);
    const verdicts = await db
      .transaction(async (tx) => {
        await asIntruder(tx, async () => {
          await tx.run(sql`delete from audit_events where scope = 'instance'`);
          await tx.run(sql`delete from audit_chains where scope = 'instance'`);
          await tx.run(sql`update audit_chains set org_id = null where scope = ${left.orgId}`);
        });
        const found: Verdict[] = [];
        for await (const verdict of verifyChains(tx)) if (verdict.faults.length) found.push(verdict);
        throw found;
      })
      .catch((found: Verdict[]) => new Map(found.map(({ scope, faults }) => [scope, faults])));
    expect(verdicts.get("instance")).toEqual(["the instance has no chain: it was removed"]);
    expect(verdicts.get(left.orgId)).toEqual(["the organization of the chain does not exist"]);
  });
});

test("an instance that has only provisional users needs no chain yet", async () => {
  const scopes = await server.platform.db
    .transaction(async (tx) => {
      await asIntruder(tx, () => tamper(tx, "instance", { kind: "chain removed", at: 1 }));
      await tx.run(sql`update users set provisional = true`);
      const found: string[] = [];
      for await (const { scope } of verifyChains(tx, { only: "instance" })) found.push(scope);
      // The first person signs up later.
      await tx.run(sql`update users set created_at = now() - interval '1 day'`);
      await appendEntry(tx, null, entryNow("user.signed_up"));
      throw [...found, ...(await findVerdict("instance", tx)).faults];
    })
    .catch((thrown) => thrown);
  expect(scopes).toEqual([]);
});

describe("an entry that the operator noted", () => {
  test("shows that an older state of the chain was restored", async () => {
    const { db } = server.platform;
    const globex = await workspaceWith(2);
    const { orgId: scope } = globex;
    const before = await store.findHeadAcrossOrganizations(db, scope);
    await rename("Noted", globex);
    const { sequence, hash } = await findVerdict(scope);
    await db.transaction((tx) =>
      asIntruder(tx, async () => {
        await tamper(tx, scope, { kind: "truncated", at: 2 });
        await tx.run(sql`update audit_chains set signature = ${before!.signature} where scope = ${scope}`);
      }),
    );
    expect((await findVerdict(scope)).faults).toEqual([]);
    const expected = [{ scope, sequence, hash }];
    expect((await findVerdict(scope, db, { expected })).faults).toEqual([
      "the chain ends at 2, before the noted entry 3",
    ]);
    await rename("Goes on", globex);
    expect((await findVerdict(scope, db, { expected })).faults).toEqual([
      "entry 3 is not the one that was noted",
    ]);
  });

  test("at the pruned end must match the pruning mark; an entry before it cannot be compared", async () => {
    const { db } = server.platform;
    const globex = await workspaceWith(4);
    const { orgId: scope } = globex;
    const rows = await store.listEntriesAcrossOrganizations(db, scope, 0, 4, 10);
    await server.call("/v1/audit-chain", {
      method: "PATCH",
      body: { retentionDays: 90 },
      headers: globex.owner.auth,
    });
    await atTime(Date.now() + 60 * dayMs, () =>
      recordAsSystem(db, scope as OrgId, { action: "test.noted", target: { type: "test", id: null } }),
    );
    await pruneChains({ db, log: createLog("silent") }, Date.now() + 100 * dayMs);
    const noted = (sequence: number, hash: string) =>
      findVerdict(scope, db, { expected: [{ scope, sequence, hash }] });
    const { prunedSequence, prunedHash } = (await store.findHeadAcrossOrganizations(db, scope))!;
    expect(prunedSequence).toBe(5);
    expect(await noted(5, prunedHash)).toMatchObject({ faults: [], notes: [], pruned: 5, entries: 1 });
    expect((await noted(5, "0".repeat(64))).faults).toEqual(["entry 5 is not the one that was noted"]);
    const below = await noted(4, rows[3]!.hash);
    expect(below.faults).toEqual([]);
    expect(below.notes[0]).toMatch(/^the noted entry 4 no longer exists: .* and the mark is signed$/);
  });
});

describe("a chain from before signatures", () => {
  test("stays unsigned until the operator signs it, and is signed from then on", async () => {
    const { db } = server.platform;
    const globex = await workspaceWith(3);
    const { orgId: scope } = globex;
    await db.run(sql`update audit_chains set signature = null where scope = ${scope}`);
    await rename("Later", globex);
    expect((await findVerdict(scope)).faults).toEqual([expect.stringContaining("the chain is not signed")]);
    const signings = [];
    for await (const signing of signChains(db)) signings.push(signing);
    expect(signings).toContainEqual(
      expect.objectContaining({ scope, sequence: 4, checkBefore: "none", faults: [] }),
    );
    await rename("Signed", globex);
    expect(await findVerdict(scope)).toMatchObject({ entries: 6, signature: "current", faults: [] });
    const [entry] = (await server.call("/v1/audit-events?action=audit_chain", { headers: globex.owner.auth }))
      .body.items;
    expect(entry).toMatchObject({ before: { signature: "none" }, after: { sequence: 4 } });
  });

  test("is not signed when its entries fail verification", async () => {
    const { db } = server.platform;
    const { orgId: scope } = await workspaceWith(3);
    await db.transaction((tx) =>
      asIntruder(tx, async () => {
        await tx.run(sql`update audit_events set action = 'x.y' where scope = ${scope} and seq = 2`);
        await tx.run(sql`update audit_chains set signature = null where scope = ${scope}`);
      }),
    );
    const signings = [];
    for await (const signing of signChains(db, scope)) signings.push(signing);
    expect(signings).toMatchObject([{ scope, faults: [expect.stringContaining("entry 2")] }]);
    expect((await findVerdict(scope)).signature).toBe("none");
  });
});

describe("rotating the secret", () => {
  test("chains are valid under both secrets, and under the new one alone after they were signed again", async () => {
    const { db, keyring } = server.platform;
    const [resealed, written, left] = [
      await workspaceWith(2),
      await workspaceWith(2),
      await workspaceWith(2),
    ];
    const seen = await db
      .transaction(async (tx) => {
        // A key ring with a new current key, in which the old key is the previous one.
        const fresh = createKeyring("a new secret that is long enough, really");
        const both = {
          sign: fresh.sign,
          checkSignature: (...[purpose, text, signature]: Parameters<typeof fresh.checkSignature>) => {
            const check = fresh.checkSignature(purpose, text, signature);
            if (check !== "unknown") return check;
            return keyring.checkSignature(purpose, text, signature) === "current" ? "previous" : "invalid";
          },
        } as const;
        const rotating: Db = { ...tx, signer: both, transaction: (work) => work(rotating) };
        const rotated: Db = { ...tx, signer: fresh };
        await appendEntry(rotating, written.orgId as OrgId, entryNow("test.noted"));
        const during = await Promise.all(
          [resealed, written, left].map(async ({ orgId }) => (await findVerdict(orgId, rotating)).signature),
        );
        await tx.run(
          sql`delete from audit_chains where scope <> all(${[resealed.orgId, written.orgId]}::text[])`,
        );
        const check = await renewChainSignatures(rotating, { checkOnly: true });
        const done = await renewChainSignatures(rotating, { checkOnly: false });
        const after = await Promise.all(
          [resealed, written].map(async ({ orgId }) => await findVerdict(orgId, rotated)),
        );
        throw { during, check, done, after };
      })
      .catch((thrown) => thrown);
    expect(seen).toMatchObject({
      during: ["previous", "current", "previous"],
      check: { current: 1, previous: 1, renewed: 0 },
      done: { current: 2, previous: 0, renewed: 1, broken: [] },
      after: [
        { signature: "current", faults: [] },
        { signature: "current", faults: [] },
      ],
    });
    const lost: Db = { ...db, signer: createKeyring("another secret that is long enough") };
    expect((await findVerdict(left.orgId, lost)).faults).toEqual([
      "the chain is signed under a secret that is not configured: put that secret into SIGNALBOX_SECRET_PREVIOUS",
    ]);
  });

  test("a chain that fails verification is not signed again", async () => {
    const { db, keyring } = server.platform;
    const { orgId: scope } = await workspaceWith(3);
    const done = await db
      .transaction(async (tx) => {
        await asIntruder(tx, () => tamper(tx, scope, { kind: "state changed", at: 2 }));
        const rotating: Db = {
          ...tx,
          transaction: (work) => work(rotating),
          signer: {
            sign: keyring.sign,
            checkSignature: (...args) =>
              keyring.checkSignature(...args) === "current" ? "previous" : "invalid",
          },
        };
        throw await renewChainSignatures(rotating, { checkOnly: false });
      })
      .catch((thrown) => thrown);
    expect(done.broken).toContainEqual({ row: scope, why: expect.stringContaining("entry 2") });
  });
});

test("a database that was opened without a key ring refuses to write entries", async () => {
  const { db } = server.platform;
  const { orgId } = await workspaceWith(1);
  const unsigned: Db = { ...db, signer: createDb({} as never).signer };
  await expect(
    db.transaction((tx) =>
      appendEntry({ ...tx, signer: unsigned.signer }, orgId as OrgId, entryNow("test.noted")),
    ),
  ).rejects.toThrow("without a key ring");
});
