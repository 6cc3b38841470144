import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openWorkerState } from "./state.ts";
import { findNextSequence, runWorker } from "./worker.ts";

interface Request {
  method: string;
  path: string;
  body: Record<string, unknown>;
}

describe("a worker", () => {
  let folder: string;
  let server: Server;
  let log: string;
  const seen: Request[] = [];
  /** The upgrade in the answer to heartbeats. */
  let wanted: { version: string; upgradeId: string } | undefined;
  /** Why the worker gets no token for its runner. Undefined: it gets one. */
  let tokenRefusal: string | undefined = "";
  let isSuspended = false;
  let isPaused = false;
  /** The greatest sequence of a heartbeat that the server has. */
  let greatest = -1;
  /** Whether a report about an upgrade is refused. */
  let isEnded: (body: Record<string, unknown>) => boolean;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "worker-"));
    log = join(folder, "log");
    seen.length = 0;
    wanted = undefined;
    tokenRefusal = "";
    isPaused = false;
    greatest = -1;
    isSuspended = false;
    isEnded = () => false;
    server = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      const { method = "", url: path = "" } = request;
      const body = text ? JSON.parse(text) : {};
      seen.push({ method, path, body });
      const answer = (reply: object) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(reply));
      };
      if (isSuspended && path !== "/version") {
        response.writeHead(403, { "content-type": "application/json" });
        return void response.end(JSON.stringify({ error: "forbidden", reason: "organization_suspended" }));
      }
      if (path === "/version") return answer({ name: "signalbox", instance: "ins_1" });
      if (path === "/v1/automation-runner/work") return answer({ items: [], held: [] });
      if (path === "/events") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        return void response.write(": connected\n\n");
      }
      if (path.endsWith("/runner-token")) {
        if (tokenRefusal === undefined)
          return answer({ token: "sbr_token", expiresAt: Date.now() + 12 * 3600_000, eventsPath: "/events" });
        response.writeHead(403, { "content-type": "application/json" });
        return void response.end(JSON.stringify({ error: "forbidden", message: tokenRefusal }));
      }
      const isRefused = path.endsWith("/upgrade") && isEnded(body);
      const desired = { configurationRevision: 0, paused: isPaused, drain: false, ...wanted };
      const reply = isRefused
        ? { error: "upgrade_ended", message: "This upgrade is cancelled." }
        : { workerId: "wrk_1", sequence: greatest, nextHeartbeatSeconds: 0.02, desired };
      response.writeHead(isRefused ? 409 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(reply));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterEach(() => {
    server.close().closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  });

  function start(line: string, runner?: Parameters<typeof runWorker>[0]["runner"]) {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const state = openWorkerState(join(folder, "state"));
    state.save({ url, token: "sbw_token" });
    const stop = new AbortController();
    const settings = {
      ...{ url, version: "1.0.0", registrationToken: undefined, runner },
      registration: { name: "one", labels: [] },
      upgradeCommand: { line, timeoutMs: 10_000, environment: { PATH: process.env.PATH, LOG: log } },
    };
    const ended = runWorker(settings, state, () => {}, stop.signal).finally(() => state.close());
    return { ended, stop };
  }
  const runner: Parameters<typeof runWorker>[0]["runner"] = {
    info: { runnerId: "", platform: "linux", version: "1", concurrency: 1, serves: "own" },
    command: { program: "true", args: [] },
    ...{ environment: {}, workdir: undefined, killAfterMs: 0, stopAfterMs: 0 },
  };
  const readLog = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  const countBeats = () => seen.filter(({ path }) => path.endsWith("/activity-heartbeat")).length;
  const waitForBeats = async (count: number) => {
    const from = countBeats();
    await expect.poll(countBeats, { timeout: 5_000, interval: 10 }).toBeGreaterThan(from + count);
  };

  test.for(["acknowledged", "draining", "draining again"])(
    "does not run the command of an upgrade that has ended before it is %s",
    async (when) => {
      let drains = 0;
      isEnded = ({ state }) => {
        if (state === "draining") drains++;
        return when === "draining again" ? drains > 1 : state === when;
      };
      wanted = { version: "2.0.0", upgradeId: "wup_1" };
      const worker = start('echo "$SIGNALBOX_UPGRADE_VERSION" >> "$LOG"');
      await waitForBeats(5);
      expect(readLog()).toEqual([]);
      expect(seen.findLast(({ path }) => path.endsWith("/activity-heartbeat"))!.body.status).toBe("idle");
      worker.stop.abort();
      expect(await worker.ended).toBe(0);
    },
  );

  test("runs one command at a time when another upgrade replaces the first", async () => {
    wanted = { version: "2.0.0", upgradeId: "wup_1" };
    const worker = start(
      'v=$SIGNALBOX_UPGRADE_VERSION; echo "start $v" >> "$LOG"; sleep 0.3; echo "end $v" >> "$LOG"; exit 1',
    );
    await expect.poll(readLog, { timeout: 5_000, interval: 10 }).toEqual(["start 2.0.0"]);
    wanted = { version: "2.0.1", upgradeId: "wup_2" };
    await expect.poll(() => readLog().length, { timeout: 5_000, interval: 10 }).toBe(4);
    expect(readLog()).toEqual(["start 2.0.0", "end 2.0.0", "start 2.0.1", "end 2.0.1"]);
    worker.stop.abort();
    expect(await worker.ended).toBe(0);
  });

  test("lets the command end before it stops", async () => {
    wanted = { version: "2.0.0", upgradeId: "wup_1" };
    const worker = start('echo start >> "$LOG"; sleep 0.4; echo end >> "$LOG"');
    await expect.poll(readLog, { timeout: 5_000, interval: 10 }).toEqual(["start"]);
    worker.stop.abort();
    expect(await worker.ended).toBe(0);
    expect(readLog()).toEqual(["start", "end"]);
  });

  test("gives a reason that can be stored, whatever the command prints", async () => {
    wanted = { version: "2.0.0", upgradeId: "wup_1" };
    // The 300th character of the line is the first half of an emoji.
    const worker = start(`printf 'a\\000b'; printf 'x%.0s' $(seq 296); printf '😀😀'; exit 1`);
    const findReport = () => seen.find(({ body }) => body.state === "failed");
    await expect.poll(findReport, { timeout: 5_000, interval: 10 }).toBeDefined();
    const { reason } = findReport()!.body as { reason: string };
    expect(reason).toContain("a\ufffdb");
    expect(reason).not.toContain("\0");
    expect(reason.isWellFormed()).toBe(true);
    worker.stop.abort();
    expect(await worker.ended).toBe(0);
  });

  test("waits while its organization is suspended, and continues with its runner when it is restored", async () => {
    tokenRefusal = undefined;
    isSuspended = true;
    const worker = start("true", runner);
    const countSeen = () => seen.length;
    await expect.poll(countSeen, { timeout: 5_000 }).toBeGreaterThan(1);
    isSuspended = false;
    await waitForBeats(2);
    isSuspended = true;
    const from = countSeen();
    await expect.poll(countSeen, { timeout: 5_000 }).toBeGreaterThan(from + 2);
    isSuspended = false;
    await waitForBeats(2);
    expect(seen.findLast(({ path }) => path.endsWith("/runtime"))!.body.services).toEqual([
      { name: "runner", status: "healthy" },
    ]);
    worker.stop.abort();
    expect(await worker.ended).toBe(0);
  });

  test("counts on from the number of another process with its token", async () => {
    const worker = start("true");
    await waitForBeats(2);
    // As if the process before, which ends slowly, had sent it.
    greatest = 1_000_000;
    await waitForBeats(3);
    expect(seen.findLast(({ path }) => path.endsWith("/activity-heartbeat"))!.body.sequence).toBeGreaterThan(
      greatest,
    );
    worker.stop.abort();
    expect(await worker.ended).toBe(0);
  });

  test("looks for work at once when it is no longer paused", async () => {
    tokenRefusal = undefined;
    isPaused = true;
    const worker = start("true", runner);
    const count = (path: string) => seen.filter((request) => request.path === path).length;
    await expect.poll(() => count("/events"), { timeout: 5_000, interval: 10 }).toBe(1);
    await waitForBeats(5);
    expect(count("/v1/automation-runner/work")).toBe(0);
    isPaused = false;
    await expect
      .poll(() => count("/v1/automation-runner/work"), { timeout: 10_000, interval: 10 })
      .toBeGreaterThan(0);
    worker.stop.abort();
    expect(await worker.ended).toBe(0);
  });

  test.for(["", "a"])("reports a problem of its runner as text that can be stored (%s)", async (first) => {
    tokenRefusal = `${first}\0${"😀".repeat(400)}`;
    const worker = start("true", runner);
    const findMessages = () =>
      seen.flatMap(({ body }) => {
        const services = (body.services ?? []) as { message?: string }[];
        return services.flatMap(({ message }) => (message === undefined ? [] : [message]));
      });
    await expect.poll(() => findMessages().length, { timeout: 5_000, interval: 10 }).toBeGreaterThan(0);
    for (const message of findMessages())
      expect({ isStorable: message.isWellFormed() && !message.includes("\0") }).toEqual({ isStorable: true });
    worker.stop.abort();
    expect(await worker.ended).toBe(0);
  });
});

test("the number after the largest one is 0", () => {
  expect([-1, 0, 2 ** 52 - 1, 2 ** 52, Number.MAX_SAFE_INTEGER].map(findNextSequence)).toEqual([
    ...[0, 1, 2 ** 52, 0, 0],
  ]);
});
