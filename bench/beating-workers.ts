import { Agent, request } from "node:http";
import type pg from "pg";
import { newId } from "../src/platform/ids.ts";
import { hashSecret, newToken } from "../src/platform/secrets.ts";

interface BenchWorker {
  id: string;
  token: string;
  sequence: number;
}

/** Registers workers directly in the database, because registering is not what is measured. */
export async function insertWorkers(client: pg.Client, orgId: string, count: number): Promise<BenchWorker[]> {
  const workers = Array.from({ length: count }, () => ({
    id: newId("wrk"),
    token: newToken("sbw_"),
    sequence: 0,
  }));
  const ids = workers.map(({ id }) => id);
  await client.query(
    `insert into workers (id, org_id, name, kind, runner_permissions)
     select id, $2, id, 'remote', '{}' from unnest($1::text[]) id`,
    [ids, orgId],
  );
  await client.query("insert into worker_beats (worker_id) select unnest($1::text[])", [ids]);
  await client.query("insert into worker_states (worker_id) select unnest($1::text[])", [ids]);
  await client.query(
    `insert into worker_tokens (id, worker_id, org_id, start, token_hash)
     select t.id, t.worker_id, $4, 'sbw_', t.hash
     from unnest($1::text[], $2::text[], $3::text[]) t (id, worker_id, hash)`,
    [workers.map(() => newId("wkt")), ids, workers.map(({ token }) => hashSecret(token)), orgId],
  );
  await client.query("vacuum (freeze, analyze) worker_beats, worker_tokens, workers, worker_states");
  return workers;
}

export interface BeatCounts {
  sent: number;
  answered: number;
  failed: number;
}

/** Lets every worker beat once in each interval, evenly over the interval, until it is stopped. */
export function startBeating(url: string, workers: readonly BenchWorker[], intervalMs: number) {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 2_000 });
  const counts: BeatCounts = { sent: 0, answered: 0, failed: 0 };
  const started = performance.now();
  const beat = (worker: BenchWorker) => {
    const body = `{"sequence":${++worker.sequence},"at":${Date.now()},"status":"idle"}`;
    const path = `/v1/workers/${worker.id}/activity-heartbeat`;
    const headers = {
      authorization: `Bearer ${worker.token}`,
      "content-type": "application/json",
      "content-length": body.length,
    };
    const call = request({ agent, hostname, port, path, method: "POST", headers }, (reply) => {
      if (reply.statusCode === 200) counts.answered++;
      else counts.failed++;
      reply.resume();
    });
    call.on("error", () => counts.failed++);
    call.end(body);
  };
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - started) / intervalMs) * workers.length);
    while (counts.sent < due) beat(workers[counts.sent++ % workers.length]!);
  }, 10);
  return {
    counts,
    async stop(): Promise<void> {
      clearInterval(timer);
      const until = performance.now() + 10_000;
      while (counts.answered + counts.failed < counts.sent && performance.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 50));
      agent.destroy();
    },
  };
}
