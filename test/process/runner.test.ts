import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { cleanUp, copyFolder, type RunningServer, serve, signalbox } from "./kit.ts";
import {
  createNotesFolder,
  isAlive,
  openProxy,
  openWorkspace,
  shell,
  startRunner,
  type Workspace,
  waitForExit,
  waitForFile,
} from "./runner-kit.ts";

let server: RunningServer;
let space: Workspace;
beforeAll(async () => {
  server = await serve(copyFolder(inject("preparedFolder")));
  space = await openWorkspace(() => server.url);
});
afterAll(cleanUp);

const numbers = (events: { sequence: number }[]) => events.map(({ sequence }) => sequence);
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
const texts = (events: { payload: { text?: string } }[]) =>
  events.map(({ payload }) => payload.text).filter((text) => text !== undefined);
const listJournals = (state: string) => readdirSync(join(state, "journals"));

describe("signalbox runner", () => {
  test("runs a shell script with its instructions, environment, output, errors and folder", async ({
    expect,
  }) => {
    const id = await space.queue("Count the open issues.", { model: { providerId: "p", modelId: "m-1" } });
    const script = `read line; echo "asked: $line"; echo "$SIGNALBOX_RUN_ID $SIGNALBOX_ATTEMPT $SIGNALBOX_MODEL"
      echo oops >&2; sleep 0.2; touch here; ls; env | grep -c -e '^SIGNALBOX_API_KEY' -e sbx_ -e sbr_; echo; echo done`;
    const runner = startRunner(server.url, space.key, shell(script), { args: ["--once"] });
    expect(await runner.ended).toBe(0);
    const events = await space.events(id);
    expect(numbers(events)).toEqual(upTo(events.length));
    expect(texts(events.filter(({ type }) => type === "assistant"))).toEqual([
      "asked: Count the open issues.",
      `${id} 1 m-1`,
      "here",
      "0",
      "done",
    ]);
    expect(events).toContainEqual(expect.objectContaining({ type: "warning", payload: { text: "oops" } }));
    expect(events.at(-1)).toMatchObject({
      type: "terminal",
      payload: { status: "succeeded", exitCode: 0, summary: "done" },
    });
    expect((await space.read(id)).run).toMatchObject({
      status: "succeeded",
      resultSummary: "done",
      error: null,
    });
    expect(runner.news().map(({ event }) => event)).toEqual(["ready", "run_started", "run_ended", "stopped"]);
    expect(listJournals(runner.state)).toEqual([]);
    expect(readdirSync(join(runner.state, "work"))).toEqual([]);
    expect(runner.output.stdout + runner.output.stderr).not.toMatch(/sb[xr]_/);
  });

  test("a key from a file is in no environment, argument or open file that a program of the runner sees", async ({
    expect,
  }) => {
    // Searches environment and arguments of the program, the runner and its guard shell, and the program's open files.
    const script = `cat > /dev/null; here=0
      for pid in self $PPID $(cat /proc/$PPID/task/*/children); do
        for file in /proc/$pid/environ /proc/$pid/cmdline; do grep -a -q sb[xr]_ $file && { here=1; echo "in $file"; }; done
      done
      for fd in /proc/$$/fd/*; do case $(readlink $fd) in *runner.key*|*/journals/*|*/lock) here=1; echo "open: $fd";; esac; done
      [ $here = 0 ] && echo nothing`;
    const file = join(createNotesFolder(), "runner.key");
    writeFileSync(file, `${space.key}\n`, { mode: 0o600 });
    const id = await space.queue("Look around.");
    const runner = startRunner(server.url, space.key, shell(script), {
      args: ["--once"],
      env: { SIGNALBOX_API_KEY_FILE: file },
    });
    expect(await runner.ended, runner.output.stderr).toBe(0);
    expect(texts((await space.events(id)).filter(({ type }) => type === "assistant"))).toEqual(["nothing"]);
    expect(runner.news().map(({ event }) => event)).toEqual(["ready", "run_started", "run_ended", "stopped"]);
  });

  test("turns lines of JSON into events, and counts usage once", async ({ expect }) => {
    const id = await space.queue("Be an agent.");
    const lines = [
      { type: "capability_search", payload: { query: "issues" } },
      { type: "capability_execution", payload: { tool: "list", ok: true } },
      { type: "assistant", message: { content: "Three." } },
      { type: "usage", payload: { inputTokens: 100, outputTokens: 10, costMicros: 5 } },
      { type: "usage", input_tokens: 50, output_tokens: 5, cost_micros: 2 },
      { type: "thinking", about: "nothing" },
      { type: "assistant", payload: { text: "\0 and \ud800", n: 1 } },
      { type: "assistant", payload: { text: "x".repeat(400_000) } },
      {
        type: "result",
        summary: "Three issues.",
        usage: { inputTokens: 200, outputTokens: 15, costMicros: 9 },
      },
    ];
    const file = join(createNotesFolder(), "lines");
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const runner = startRunner(server.url, space.key, ["cat", file], {
      args: ["--once", "--workdir", "/tmp"],
    });
    expect(await runner.ended).toBe(0);
    const { run, usage } = await space.read(id);
    expect(run).toMatchObject({ status: "succeeded", resultSummary: "Three issues." });
    // 150 were told on the way, the result says 200 of all: 50 are left to tell.
    expect(usage).toMatchObject({ inputTokens: 200, outputTokens: 15, costMicros: 9 });
    const events = await space.events(id);
    expect(events.map(({ type }) => type)).toEqual([
      "capability_search",
      "capability_execution",
      "assistant",
      "usage",
      "usage",
      "assistant",
      "assistant",
      "assistant",
      "terminal",
    ]);
    expect(events[2].payload).toEqual({ message: { content: "Three." } });
    expect(events[5].payload).toEqual({ type: "thinking", about: "nothing" });
    expect(events[6].payload).toEqual({ text: "\ufffd and \ufffd", n: 1 });
    expect(events[7].payload).toMatchObject({ cut: true, bytes: 400_000 });
  });

  test("a program that fails gives a failed run with its last error line", async ({ expect }) => {
    const id = await space.queue("Fail.");
    const runner = startRunner(
      server.url,
      space.key,
      shell("echo started; echo 'disk is full' >&2; exit 3"),
      {
        args: ["--once"],
      },
    );
    expect(await runner.ended).toBe(1);
    expect((await space.read(id)).run).toMatchObject({
      status: "failed",
      error: { message: "The command ended with 3: disk is full", retryable: false },
    });
  });

  test("a cancellation and a time limit end every process that was started", async ({ expect }) => {
    const folder = createNotesFolder();
    // The shell ignores SIGTERM, and what it started would outlive it.
    const script = `read what; trap '' TERM; sleep 600 & echo $! > ${folder}/$what; wait; wait; wait; sleep 600`;
    const runner = startRunner(server.url, space.key, shell(script), {
      args: ["--concurrency", "2", "--kill-after", "1"],
    });
    const cancelled = await space.queue("cancelled");
    const late = await space.queue("late", { maxRuntimeSeconds: 2 });
    const pids = [await waitForFile(join(folder, "cancelled")), await waitForFile(join(folder, "late"))];
    expect(pids.map(isAlive)).toEqual([true, true]);
    await space.cancel(cancelled);
    expect(await space.waitForStatus(cancelled, "cancelled", "failed")).toMatchObject({
      status: "cancelled",
      reason: "requested",
    });
    expect(await space.waitForStatus(late, "cancelled", "failed")).toMatchObject({
      status: "failed",
      error: { message: "It ran longer than the 2 s it may, and was stopped.", retryable: false },
    });
    expect(pids.map(isAlive)).toEqual([false, false]);
    expect(await runner.end("SIGTERM")).toBe(0);
  });

  test("a runner that executes runs of several members at once warns that they can read each other's secrets", async ({
    expect,
  }) => {
    const warningsWith = async (...args: string[]) => {
      const runner = startRunner(server.url, space.key, shell("true"), { args });
      await runner.waitForOutput(/"ready"/);
      expect(await runner.end("SIGTERM")).toBe(0);
      return runner.news().filter(({ event, message }) => event === "note" && /one user/.test(message));
    };
    expect(await warningsWith("--serves", "organization", "--concurrency", "2")).toHaveLength(1);
    expect(await warningsWith("--serves", "organization")).toEqual([]);
    expect(await warningsWith("--concurrency", "2")).toEqual([]);
  });

  test("two runners execute each of ten runs once", async ({ expect }) => {
    const folder = createNotesFolder();
    const script = `read name; echo "$SIGNALBOX_ATTEMPT" >> ${folder}/$name; sleep 0.1; echo "did $name"`;
    const runs = await Promise.all(upTo(10).map((i) => space.queue(`run${i}`)));
    const runners = [1, 2].map(() =>
      startRunner(server.url, space.key, shell(script), { args: ["--concurrency", "2"] }),
    );
    for (const id of runs) await space.waitForStatus(id, "succeeded", "failed");
    for (const runner of runners) expect(await runner.end("SIGTERM")).toBe(0);
    for (const [i, id] of runs.entries()) {
      expect(readFileSync(join(folder, `run${i}`), "utf8")).toBe("1\n");
      expect((await space.read(id)).attempts).toHaveLength(1);
      expect(numbers(await space.events(id))).toEqual([0, 1]);
    }
  });

  test("after kill -9 in the middle of a run the next start reports the rest, and the program has ended", async ({
    expect,
  }) => {
    const folder = createNotesFolder();
    // It keeps quiet about its helper, so that no broken pipe ends that one.
    const script = `sleep 600 > /dev/null 2>&1 & echo $! > ${folder}/pid; i=0; while :; do echo "line $i"; i=$((i+1)); sleep 0.005; done`;
    const id = await space.queue("Go on and on.");
    const first = startRunner(server.url, space.key, shell(script));
    await first.waitForOutput(/run_started/);
    const pid = await waitForFile(join(folder, "pid"));
    while ((await space.events(id)).length < 40) await sleep(20);
    await first.end("SIGKILL");
    const seen = await space.events(id);
    await waitForExit(pid);
    const second = startRunner(server.url, space.key, shell(script), { state: first.state });
    expect(await space.waitForStatus(id, "failed", "succeeded")).toMatchObject({
      status: "failed",
      attempt: 1,
      error: { message: expect.stringMatching(/^Its runner ended in the middle/), retryable: true },
    });
    expect(await second.end("SIGTERM")).toBe(0);
    const events = await space.events(id);
    expect(numbers(events)).toEqual(upTo(events.length));
    expect(events.slice(0, seen.length)).toEqual(seen);
    expect(texts(events)).toEqual(upTo(events.length - 1).map((i) => `line ${i}`));
    expect(events.at(-1)).toMatchObject({ type: "terminal", payload: { status: "failed" } });
    expect(listJournals(first.state)).toEqual([]);
  });

  test("a run continues after a broken connection and a restart of the server, with every event once", async ({
    expect,
  }) => {
    const folder = createNotesFolder();
    const dataDir = copyFolder(inject("preparedFolder"));
    let own = await serve(dataDir);
    const ours = await openWorkspace(() => own.url);
    const proxy = await openProxy(own);
    const script = `i=0; while [ ! -e ${folder}/enough ]; do echo "line $i"; i=$((i+1)); sleep 0.01; done
      echo "{\\"type\\":\\"result\\",\\"summary\\":\\"$i\\"}"`;
    const cutOff = await ours.queue("Through the wire.");
    const runner = startRunner(proxy.url, ours.key, shell(script), { args: ["--once"] });
    const atLeast = async (count: number) => {
      while ((await ours.events(cutOff).catch(() => [])).length < count) await sleep(20);
    };
    await atLeast(20);
    proxy.cut();
    const before = (await ours.events(cutOff)).length;
    await sleep(700);
    expect((await ours.events(cutOff)).length).toBe(before);
    proxy.mend();
    await atLeast(before + 40);
    await own.end("SIGKILL");
    own = await serve(dataDir, { PORT: new URL(own.url).port });
    await atLeast(before + 120);
    writeFileSync(join(folder, "enough"), "");
    expect(await runner.ended).toBe(0);
    const { run, attempts } = await ours.read(cutOff);
    const events = await ours.events(cutOff);
    expect(attempts).toHaveLength(1);
    expect(numbers(events)).toEqual(upTo(events.length));
    expect(texts(events)).toEqual(upTo(events.length - 1).map((i) => `line ${i}`));
    expect(run).toMatchObject({ status: "succeeded", resultSummary: String(events.length - 1) });
    expect(runner.news().map(({ event }) => event)).not.toContain("run_lost");
    proxy.close();
    await own.end("SIGKILL");
  });

  test("a stop signal lets a short run finish and stops a long one, and says so", async ({ expect }) => {
    const script = 'read s; echo began; sleep "$s"; echo ended';
    const [short, long] = [await space.queue("1"), await space.queue("600")];
    const runner = startRunner(server.url, space.key, shell(script), {
      args: ["--concurrency", "2", "--stop-after", "2"],
    });
    for (const id of [short, long]) while ((await space.events(id)).length < 1) await sleep(20);
    const later = await space.queue("0");
    await sleep(100);
    expect(await runner.end("SIGTERM")).toBe(0);
    expect((await space.read(short)).run).toMatchObject({ status: "succeeded", resultSummary: "ended" });
    expect((await space.read(long)).run).toMatchObject({
      status: "failed",
      error: { message: "Its runner was stopped before the command had ended.", retryable: true },
    });
    expect((await space.read(later)).run).toMatchObject({ status: "queued" });
    await space.cancel(later);
    expect(listJournals(runner.state)).toEqual([]);
  });

  test("a run whose runner was deleted is stopped, and its journal is kept", async ({ expect }) => {
    const folder = createNotesFolder();
    const id = await space.queue("Hold on.");
    const runner = startRunner(
      server.url,
      space.key,
      shell(`echo $$ > ${folder}/pid; while :; do echo x; sleep 0.05; done`),
    );
    const pid = await waitForFile(join(folder, "pid"));
    while ((await space.events(id)).length < 1) await sleep(20);
    const { items } = (await server.call("/v1/automation-runners", { headers: { "x-api-key": space.key } }))
      .body;
    // Its owner forgets the runner: with it goes what it holds.
    for (const one of items.filter(({ running }: { running: number }) => running > 0)) {
      await fetch(`${server.url}/v1/automation-runners/${one.id}`, {
        method: "DELETE",
        headers: { "x-api-key": space.key },
      });
    }
    await runner.waitForOutput(/run_lost/);
    expect(isAlive(pid)).toBe(false);
    expect(runner.news().find(({ event }) => event === "run_lost")).toMatchObject({
      runId: id,
      code: "runner_lease_lost",
    });
    expect(listJournals(runner.state)).toEqual([`${id}.1.aside`]);
    expect(await runner.end("SIGTERM")).toBe(0);
  });
});

describe.concurrent("signalbox runner with a problem", () => {
  const run = (args: string[], env: Record<string, string> = {}) =>
    signalbox(["runner", "--state", join(createNotesFolder(), "state"), ...args], undefined, env);
  const key = "sbx_nobodyknowsthiskey00000000000000";

  test("reports an unknown key, an unreachable address and a missing program", async ({ expect }) => {
    const [unknown, nobody, missing] = await Promise.all([
      run(["--url", server.url, "--", "true"], { SIGNALBOX_API_KEY: key }),
      run(["--url", "http://127.0.0.1:9", "--once", "--", "true"], { SIGNALBOX_API_KEY: key }),
      run(["--", "no-such-program"], { SIGNALBOX_API_KEY: key }),
    ]);
    expect(unknown).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/does not know this API key\. Create one there/),
    });
    expect(nobody).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Nothing answers at http:\/\/127\.0\.0\.1:9 \(/),
    });
    expect(missing).toMatchObject({
      code: 1,
      stderr: "no-such-program cannot be run: it is not there, or not executable.\n",
    });
    for (const { stdout, stderr } of [unknown, nobody, missing]) expect(stdout + stderr).not.toContain(key);
  });

  test("refuses a second runner on one state folder", async ({ expect }) => {
    const first = startRunner(server.url, space.key, ["true"]);
    await first.waitForOutput(/ready/);
    const second = startRunner(server.url, space.key, ["true"], { state: first.state });
    expect(await second.ended).toBe(1);
    expect(second.output.stderr).toMatch(/^Another runner has its journals in /);
    expect(await first.end("SIGINT")).toBe(0);
    expect(existsSync(join(first.state, "runner-id"))).toBe(true);
  });
});
