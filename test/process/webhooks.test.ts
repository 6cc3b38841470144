import { readFileSync } from "node:fs";
import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { writeCluster } from "../cluster.ts";
import { isPostgresAvailable, makeDatabase, postgresUrl } from "../postgres.ts";
import { commit, pushBody, signedHeaders } from "../webhooks.ts";
import { cleanUp, freshFolder, serve } from "./kit.ts";
import { openProxy } from "./proxy.ts";
import { createConnectors, describeInstance, sendWhileKilled, webhookSecret } from "./webhook-deliveries.ts";

afterAll(cleanUp);

const onPostgres = await isPostgresAvailable();
const faults = { deliveries: 500, kills: 4, seed: 20_261_115 };

describe("a server that is killed while a code host sends", () => {
  test("embedded: has each delivery once, with its job, and nothing else", async () => {
    const dataDir = freshFolder();
    await writeCluster(dataDir);
    expect(await sendWhileKilled(describeInstance(dataDir, undefined), faults)).toEqual([]);
  }, 180_000);

  test.skipIf(!onPostgres)(
    "on PostgreSQL: has each delivery once, with its job, and nothing else",
    async () => {
      const database = await makeDatabase();
      expect(await sendWhileKilled(describeInstance(undefined, database.url), faults)).toEqual([]);
      await database.drop();
    },
    180_000,
  );
});

/** A delivery of that many bytes, by hand: what it takes in memory here should not matter. */
function sendLarge(url: string, body: Buffer, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sending = request(
      `${url}/v1/webhooks/connectors/codehost`,
      { method: "POST", agent: false, headers: { ...headers, "content-length": body.length } },
      (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode!));
      },
    );
    sending.on("error", reject);
    sending.end(body);
  });
}

const residentMegabytes = (pid: number) =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;

describe.skipIf(!onPostgres)("on PostgreSQL", () => {
  test.skipIf(process.platform !== "linux")(
    "forty bodies of 25 MiB at once are accepted in turn or refused with Retry-After, and the memory stays bounded",
    async () => {
      const database = await makeDatabase();
      const place = describeInstance(undefined, database.url);
      await createConnectors(place);
      const server = await serve(undefined, place.env, ["--role", "api"]);
      const body = Buffer.from(pushBody({ repository: "acme/one" }, commit(), { bytes: 25 * 1024 * 1024 }));
      const before = residentMegabytes(server.pid);
      const good = Array.from({ length: 20 }, () =>
        sendLarge(server.url, body, signedHeaders.github(webhookSecret, body)),
      );
      const bad = Array.from({ length: 20 }, () =>
        sendLarge(server.url, body, signedHeaders.github("wrong", body)),
      );
      const [accepted, refused] = [await Promise.all(good), await Promise.all(bad)];
      expect(accepted.filter((status) => status !== 202 && status !== 503)).toEqual([]);
      expect(accepted).toContain(202);
      expect(refused.filter((status) => status !== 401 && status !== 503)).toEqual([]);
      // All of them at once would be a gigabyte as they came, and several as they are read.
      expect(residentMegabytes(server.pid) - before).toBeLessThan(700);
      expect((await fetch(`${server.url}/health`)).status).toBe(200);
      await server.end("SIGTERM");
      await database.drop();
    },
    120_000,
  );

  test("a server that loses its PostgreSQL answers 503 with Retry-After, and still refuses a bad signature", async () => {
    const database = await makeDatabase();
    await createConnectors(describeInstance(undefined, database.url));
    const { hostname, port } = new URL(postgresUrl);
    const proxy = await openProxy(hostname, Number(port || 5432));
    const through = Object.assign(new URL(database.url), { hostname: "127.0.0.1", port: String(proxy.port) });
    const place = describeInstance(undefined, through.href);
    const server = await serve(undefined, { ...place.env, LOG_LEVEL: "silent" }, ["--role", "api"]);
    const send = (body: string, secret: string, query = "") =>
      fetch(`${server.url}/v1/webhooks/connectors/codehost${query}`, {
        method: "POST",
        headers: signedHeaders.github(secret, body, { id: "the-same" }),
        body,
      });
    const body = pushBody({ repository: "acme/one" });
    proxy.cut();
    await pause(300);
    for (const query of ["", "?connector=con_01h455vb4pex5vsknk084sn02q"]) {
      const away = await send(body, webhookSecret, query);
      expect({ query, status: away.status }).toEqual({ query, status: 503 });
      expect(Number(away.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await away.json()).toMatchObject({ error: "service_unavailable" });
    }
    expect((await send(body, "wrong")).status).toBe(401);
    proxy.mend();
    await expect.poll(async () => (await send(body, webhookSecret)).status, { timeout: 10_000 }).toBe(202);
    await server.end("SIGTERM");
    await proxy.close();
    await database.drop();
  }, 60_000);
});
