import { once } from "node:events";
import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { cleanUp, type Env, freshFolder, killAll, type RunningServer, serve, signalbox } from "./kit.ts";
import { callServer, createQueuedRuns } from "./reporting.ts";

/** Processes that said that they are ready, in this order. */
const listReady = ({ output }: RunningServer) =>
  output.stderr
    .split("\n")
    .filter((line) => line.includes('"process ready"'))
    .map((line) => JSON.parse(line) as { number: number; pid: number });

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** A GET on a connection of its own, so that the primary process chooses who answers. */
async function get(url: string, headers: Record<string, string> = {}) {
  const sent = request(url, { agent: false, headers });
  sent.end();
  const [response] = (await once(sent, "response")) as [import("node:http").IncomingMessage];
  return response;
}

async function readMetrics(server: RunningServer): Promise<Map<string, number>> {
  const text: string = (await server.call("/metrics")).body as never;
  const samples = text.split("\n").filter((line) => line && !line.startsWith("#"));
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}

const countOf = (metrics: Map<string, number>, operation: string) =>
  [...metrics].reduce(
    (sum, [name, value]) =>
      name.startsWith("http_request_duration_seconds_count") && name.includes(`operation="${operation}"`)
        ? sum + value
        : sum,
    0,
  );

test("the embedded database refuses several processes with one sentence", async () => {
  const { code, stderr } = await signalbox(["serve"], freshFolder(), { PROCESSES: "2" });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^PROCESSES=2 needs DATABASE_URL: the embedded database has one process\./);
});

// Three processes start, some of them twice. On a crowded machine this takes minutes.
describe.skipIf(!(await isPostgresAvailable()))("two processes on PostgreSQL", { timeout: 400_000 }, () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let env: Env;
  beforeAll(async () => {
    database = await makeDatabase();
    env = {
      DATABASE_URL: database.url,
      SIGNALBOX_SECRET: "a secret for the tests, long enough",
      PROCESSES: "2",
    };
  });
  afterEach(killAll);
  afterAll(async () => {
    await cleanUp();
    await database.drop();
  });

  test("answer at one address, with one set of metrics, and their log lines name them", async () => {
    const server = await serve(undefined, env);
    await expect.poll(() => listReady(server).map(({ number }) => number)).toEqual([1, 2]);
    for (let i = 0; i < 20; i++) {
      const reply = await get(`${server.url}/health`);
      reply.resume();
      expect(reply.statusCode).toBe(200);
    }
    const metrics = await readMetrics(server);
    expect(countOf(metrics, "getHealth")).toBe(20);
    expect(metrics.get('processes{state="ready"}')).toBe(2);
    for (const number of [0, 1, 2])
      expect(metrics.get(`process_resident_memory_bytes{process="${number}"}`)).toBeGreaterThan(1e6);
    for (const number of [1, 2]) expect(metrics.get(`bus_up{process="${number}"}`)).toBe(1);
    const writers = () =>
      new Set(
        server.output.stderr
          .split("\n")
          .filter((line) => line.includes('"operation":"getHealth"'))
          .map((line) => JSON.parse(line).process),
      );
    await expect.poll(writers).toEqual(new Set([1, 2]));
    expect(server.output.stdout).toBe(`Signalbox is ready at ${server.url}\n`);
    expect(await server.end("SIGTERM")).toBe(0);
    for (const { pid } of listReady(server)) expect(isAlive(pid)).toBe(false);
  });

  test("a process that is killed is replaced at the same address, and counters do not become smaller", async () => {
    const server = await serve(undefined, env);
    for (let i = 0; i < 10; i++) (await get(`${server.url}/health`)).resume();
    expect(countOf(await readMetrics(server), "getHealth")).toBe(10);
    await expect.poll(() => listReady(server).length).toBe(2);
    const [first] = listReady(server);
    process.kill(first!.pid, "SIGKILL");
    await expect.poll(() => listReady(server).length, { timeout: 200_000 }).toBe(3);
    expect(listReady(server)[2]!.number).toBe(first!.number);
    const later = await readMetrics(server);
    expect(countOf(later, "getHealth")).toBe(10);
    expect(later.get("process_restarts_total")).toBe(1);

    // All of them at once: the port was chosen by the first start, and stays.
    for (const { pid } of listReady(server)) if (isAlive(pid)) process.kill(pid, "SIGKILL");
    const status = async () => (await fetch(`${server.url}/ready`).catch(() => undefined))?.status;
    await expect.poll(status, { timeout: 200_000 }).toBe(200);
    expect(await server.end("SIGTERM")).toBe(0);
  });

  test("SIGHUP replaces both one after the other, and no request is refused", async () => {
    const server = await serve(undefined, env);
    await expect.poll(() => listReady(server).length).toBe(2);
    const before = listReady(server);
    const failures: string[] = [];
    let isOver = false;
    let count = 0;
    // `fetch` keeps its connections open; the others open one for each request.
    const callers = [
      () => fetch(`${server.url}/ready`).then((reply) => reply.text()),
      () => get(`${server.url}/health`).then((reply) => reply.resume()),
    ].flatMap((send) =>
      Array.from({ length: 4 }, async () => {
        while (!isOver) {
          await send().then(
            () => count++,
            (error: Error) => failures.push(String(error.cause ?? error)),
          );
          await pause(5);
        }
      }),
    );
    server.send("SIGHUP");
    const replaced = () => server.output.stderr.includes("all processes were replaced");
    await expect.poll(replaced, { timeout: 200_000 }).toBe(true);
    isOver = true;
    await Promise.all(callers);
    expect(failures).toEqual([]);
    expect(count).toBeGreaterThan(10);
    for (const { pid } of before) expect(isAlive(pid)).toBe(false);
    expect(listReady(server).map(({ number }) => number)).toEqual([1, 2, 1, 2]);
    expect(await server.end("SIGTERM")).toBe(0);
  });

  test("a limit counts what both have open", async () => {
    const server = await serve(undefined, { ...env, LOG_LEVEL: "warn" });
    const { access, runIds } = await createQueuedRuns(server.url, 1);
    const path = `${server.url}/v1/automation-runs/${runIds[0]}/stream`;
    const replies = await Promise.all(Array.from({ length: 110 }, () => get(path, access.headers)));
    const opened = replies.filter(({ statusCode }) => statusCode === 200);
    expect(opened).toHaveLength(100);
    expect(replies.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10);
    // A stream that ends makes room, in whichever process it was.
    for (const reply of opened.slice(0, 3)) reply.destroy();
    const openAgain = async () => {
      const reply = await get(path, access.headers);
      return reply.statusCode;
    };
    await expect.poll(openAgain).toBe(200);
    expect((await callServer(access, "/v1/automations")).status).toBe(200);
    await server.end("SIGTERM");
  });

  test("a wrong setting is reported once, and everything ends", async () => {
    const wrong = { ...env, SIGNALBOX_SECRET: "another secret for the tests, long enough" };
    const { code, stdout, stderr } = await signalbox(["serve"], undefined, wrong);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^[^\n]*SIGNALBOX_SECRET[^\n]*\n$/);
  });
});
