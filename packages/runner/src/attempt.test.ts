import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UnreachableError } from "@signalbox/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunnerApi } from "./api.ts";
import { type AttemptSettings, startAttempt } from "./attempt.ts";
import { removeFolder } from "./folders.ts";
import { startGuard } from "./guard.ts";
import { beginJournal } from "./journal.ts";
import { readAssignment } from "./replies.ts";

let root: string;
/** Root can remove everything, so these tests run without its rights. */
const isRoot = process.geteuid?.() === 0;
beforeEach(() => {
  if (isRoot) process.seteuid!(65_534);
  root = mkdtempSync(join(tmpdir(), "signalbox-attempt-"));
});
afterEach(() => {
  if (isRoot) process.seteuid!(0);
  chmodSync(root, 0o700);
  rmSync(root, { recursive: true, force: true });
});

const assignment = readAssignment({
  runId: "run_1",
  automationId: "aut_1",
  automationName: "Triage",
  instructions: "Look.",
  model: null,
  attempt: 1,
  timeoutMs: 60_000,
})!;
const begin = { instance: "i", runId: "run_1", attempt: 1, automationName: "Triage", startedAt: 5 };

/** A server that accepts everything, except what a test replaces. */
const createApi = (replaced: Partial<RunnerApi> = {}) =>
  ({
    url: "http://127.0.0.1:8787",
    sendEvents: async () => {},
    complete: async () => {},
    heartbeat: async () => ({ cancelRequested: false }),
    ...replaced,
  }) as RunnerApi;

function createJournal() {
  let text = "";
  return beginJournal(
    {
      append: (more) => {
        text += more;
      },
      sync: async () => {},
      read: () => Buffer.from(text),
    },
    begin,
  );
}

function start(script: string, api = createApi(), halt = new AbortController().signal) {
  const journal = createJournal();
  const guard = startGuard();
  const notes: string[] = [];
  const settings: AttemptSettings = {
    ...{ api, guard, halt, workFolder: root, workdir: undefined, killAfterMs: 100 },
    command: { program: "/bin/sh", args: ["-c", script] },
    environment: { PATH: process.env.PATH },
    onStopping: (_, reason) => notes.push(`stopping: ${reason}`),
    onFolderLeft: (problem) => notes.push(problem),
    onFault: (error) => notes.push(`fault: ${(error as Error).message}`),
  };
  const file = { journal, file: "journal", remove() {}, archive: () => "journal" };
  const { result, stop } = startAttempt(settings, file, assignment, performance.now());
  return { journal, notes, stop, result: result.finally(guard.close) };
}

describe("a folder that a program leaves", () => {
  test("and that cannot be removed does not change how the run ended, and is named", async () => {
    const { result, notes } = start("mkdir a; touch a/b; chmod 555 a ..");
    expect(await result).toEqual({ status: "delivered" });
    expect(notes).toContain(`${join(root, "run_1.1")} cannot be removed (EACCES). Remove it yourself.`);
  });

  test("with write-protected folders, such as the module cache of Go, is removed", () => {
    const cache = join(root, "run_1.1", "cache");
    mkdirSync(cache, { recursive: true });
    writeFileSync(join(cache, "module"), "");
    for (const folder of [cache, join(cache, "..")]) chmodSync(folder, 0o555);
    expect(removeFolder(join(root, "run_1.1"))).toBeUndefined();
    expect(existsSync(join(root, "run_1.1"))).toBe(false);
  });
});

test("a program that has ended is not stopped any more while its result is sent", async () => {
  const halt = new AbortController();
  const sending = Promise.withResolvers<void>();
  const api = createApi({
    complete: async () => {
      sending.resolve();
      throw new UnreachableError("", "connection refused");
    },
  });
  const { result, journal, notes, stop } = start("exit 0", api, halt.signal);
  await sending.promise;
  stop("runner_stopped");
  halt.abort();
  expect(await result).toEqual({ status: "stopped" });
  expect(journal.completion).toMatchObject({ status: "succeeded" });
  expect(notes).toEqual([]);
});
