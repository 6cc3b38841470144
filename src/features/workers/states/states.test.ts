import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { createWorker, readWorker } from "../../../../test/workers.ts";
import { sql } from "../../../platform/db/index.ts";

interface Situation {
  status: "online" | "busy" | "idle" | "draining" | "stopped";
  /** Seconds since the last heartbeat. Null: never seen. */
  seenAgo: number | null;
  /** An outage of the server, in seconds before now. */
  outage: { from: number; to: number } | null;
  isPaused: boolean;
}

const situations: fc.Arbitrary<Situation> = fc.record({
  status: fc.constantFrom("online", "busy", "idle", "draining", "stopped"),
  // Not within two seconds of a limit: the test itself takes time.
  seenAgo: fc.option(
    fc.oneof(
      fc.integer({ min: 0, max: 42 }),
      fc.integer({ min: 48, max: 176 }),
      fc.integer({ min: 184, max: 900 }),
    ),
  ),
  outage: fc.option(
    fc
      .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 60 }))
      .map(([to, length]) => ({ from: 10 * (to + length), to: 10 * to })),
  ),
  isPaused: fc.boolean(),
});

/** The rule of docs/workers.md, with an interval of 15 seconds. */
function expectState({ status, seenAgo, outage, isPaused }: Situation): string {
  if (seenAgo === null) return "never_connected";
  if (status === "stopped") return "stopped";
  const overlap = outage ? Math.max(0, Math.min(outage.from, seenAgo) - outage.to) : 0;
  const unseen = seenAgo - overlap;
  if (unseen >= 12 * 15) return "lost";
  if (unseen >= 3 * 15) return "stale";
  return isPaused ? "paused" : status;
}

const isNearLimit = ({ seenAgo, outage }: Situation): boolean => {
  const overlap = outage && seenAgo !== null ? Math.max(0, Math.min(outage.from, seenAgo) - outage.to) : 0;
  const unseen = (seenAgo ?? 0) - overlap;
  return [45, 180].some((limit) => unseen < limit && unseen > limit - 5);
};

describe("the state of a worker", () => {
  const server = useServer();
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
  });

  test("follows the documented rule, whatever was seen and however long the server was down", async () => {
    const { db } = server.platform;
    const { id } = await createWorker(server, acme.owner.auth);
    await db.run(
      sql`update worker_service set alive_at = now(), interval_seconds = 15, previous_seconds = 15`,
    );
    await fc.assert(
      fc.asyncProperty(situations, async (situation) => {
        fc.pre(!isNearLimit(situation));
        const { status, seenAgo, outage, isPaused } = situation;
        const { from, to } = outage ?? { from: 0, to: 0 };
        await db.run(sql`
          update worker_service set alive_at = now(), outages = tstzmultirange(tstzrange(
            now() - make_interval(secs => ${from}::int), now() - make_interval(secs => ${to}::int)))`);
        await db.run(sql`
          update worker_beats set status = ${status}, seen_at = now() - make_interval(secs => ${seenAgo}::int)
          where worker_id = ${id}`);
        await db.run(sql`
          update workers set pause_note = 'x', paused_at = case when ${isPaused} then now() end where id = ${id}`);
        expect((await readWorker(server, acme.owner.auth, id)).state).toBe(expectState(situation));
      }),
      { numRuns: 40 },
    );
  });
});
