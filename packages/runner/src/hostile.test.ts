import { once } from "node:events";
import { createServer as createHttpServer, type Server as HttpServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createBackoff, RefusedError, UnreachableError } from "@signalbox/client";
import { afterEach, describe, expect, test } from "vitest";
import { createRunnerApi, type RunnerApi } from "./api.ts";
import { deliver } from "./delivery.ts";
import { UnusableServerError } from "./errors.ts";
import { beginJournal, type Storage } from "./journal.ts";
import { createCompletion } from "./outcome.ts";
import { createOutputRecorder } from "./output-recorder.ts";
import { checkPublicUrl } from "./public-url.ts";
import { createStatusPrinter, type StatusMessage } from "./status.ts";
import { listenForWakeUps } from "./wake-ups.ts";

const opened: HttpServer[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close().closeAllConnections();
});

async function answering(listener: RequestListener): Promise<string> {
  const server = createHttpServer(listener).listen(0, "127.0.0.1");
  opened.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const self = { runnerId: "runner-one", platform: "p", version: "1", concurrency: 1, serves: "own" } as const;
const open = (url: string) => createRunnerApi(url, "sbx_key", self, new AbortController().signal);
const caught = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => error,
  );

describe("a server that sends Retry-After", () => {
  test.for([
    "0",
    "-1",
    "99999999999",
    "1e999",
    "NaN",
    "0x10",
    "Infinity",
    "",
    "soon",
    "Fri, 31 Dec 9999 23:59:59 GMT",
    ", ",
  ])("Retry-After: %s makes a runner neither retry without a pause nor wait for ever", async (wish) => {
    let requests = 0;
    const url = await answering((_, response) => {
      requests++;
      response.writeHead(503, { "retry-after": wish }).end("{}");
    });
    const api = open(url);
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), 1_000);
    const backoff = createBackoff();
    while (!stop.signal.aborted) {
      const error = await caught(api.readServer());
      expect(error).toBeInstanceOf(UnreachableError);
      expect(error.retryAfterMs).toBeGreaterThanOrEqual(0);
      expect(error.retryAfterMs).toBeLessThanOrEqual(300_000);
      await backoff.wait(stop.signal, error.retryAfterMs);
    }
    clearTimeout(timer);
    expect(requests).toBeLessThan(10);
  });

  test("an event stream that ends at once is reopened with growing pauses", async () => {
    let lines = 0;
    const stop = new AbortController();
    const api = {
      openWakeUps: async () => {
        lines++;
        return (async function* () {
          yield { event: "work" };
        })();
      },
    } as unknown as RunnerApi;
    setTimeout(() => stop.abort(), 2_000);
    await listenForWakeUps(
      api,
      { onWork() {}, onCancel() {}, onConnection() {}, onUnusableServer() {} },
      stop.signal,
    );
    expect(lines).toBeLessThan(8);
  });
});

describe("an endless reply", () => {
  const endless =
    (type: string): RequestListener =>
    (_, response) => {
      response.writeHead(200, { "content-type": type });
      const chunk = Buffer.alloc(256 * 1024, " ");
      const more = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    };

  test("is aborted after 4 MiB with a clear error", async () => {
    const url = await answering(endless("application/json"));
    const error = await caught(open(url).readServer());
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error.message).toBe("it answered with more than 4 MiB");
    expect(await checkPublicUrl("http://x", url, "a")).toMatch(/does not answer from here/);
  });
});

describe("a reply with invalid fields", () => {
  const good = { token: "t", expiresAt: Date.now() + 1e8, eventsPath: "/e" };
  const run = { runId: "run_1", attempt: 1, timeoutMs: 1, instructions: "" };
  const isClear = (error: unknown) =>
    expect(
      error instanceof UnusableServerError || error instanceof UnreachableError,
      String((error as Error | undefined)?.stack ?? error),
    ).toBe(true);

  test.for([
    {},
    { ...good, token: 7 },
    { ...good, token: "a\nb" },
    { ...good, eventsPath: "http://[" },
    { ...good, eventsPath: null },
    { ...good, expiresAt: "never" },
    [],
    null,
  ])("token: %j", async (body) => {
    const url = await answering((_, response) => response.end(JSON.stringify(body)));
    isClear(await caught(open(url).register()));
  });

  test.for([
    {},
    { items: null, held: null },
    { items: [null], held: [] },
    { items: [], held: ["run"] },
    { items: [{ runId: "../x", attempt: 1 }], held: [] },
    { items: [{ runId: "run_1", attempt: "1" }], held: [] },
  ])("work: %j", async (body) => {
    const url = await answering((request, response) =>
      response.end(JSON.stringify(request.url!.endsWith("/token") ? good : body)),
    );
    isClear(await caught(open(url).listWork()));
  });

  test.for([
    undefined,
    7,
    "x",
    [],
    { ...run, runId: undefined },
    { ...run, runId: ["run_1"] },
    { ...run, attempt: null },
    { ...run, timeoutMs: "1" },
    { ...run, instructions: 7 },
  ])("assignment: %j", async (assignment) => {
    const url = await answering((request, response) =>
      response.end(JSON.stringify(request.url!.endsWith("/token") ? good : { assignment })),
    );
    isClear(await caught(open(url).claim("run_1")));
  });

  test("optional fields of an assignment get defaults, and its names are valid environment variables", async () => {
    const url = await answering((request, response) =>
      response.end(
        JSON.stringify(
          request.url!.endsWith("/token")
            ? good
            : { assignment: { ...run, automationName: `a\0${"b".repeat(10_000)}`, model: "gpt" } },
        ),
      ),
    );
    const assignment = await open(url).claim("run_1");
    expect(assignment).toMatchObject({ automationId: "", model: null });
    expect(assignment!.automationName).toHaveLength(500);
    expect(assignment!.automationName).not.toContain("\0");
  });
});

describe("a program with endless output", () => {
  const createStorage = () => {
    let text = "";
    const storage: Storage = {
      append: (more) => {
        text += more;
      },
      sync: async () => {},
      read: () => Buffer.from(text),
    };
    return { storage, size: () => Buffer.byteLength(text) };
  };
  const begin = { instance: "i", runId: "run_1", attempt: 1, automationName: "Triage", startedAt: 5 };
  const limits = { events: 100, bytes: 64 * 1024, spareEvents: 20, spareBytes: 8 * 1024 };

  test.for(["usage", "assistant", "plain", "stderr", "mixed"])(
    "%s: the journal stops growing, and the usage stays complete",
    (kind) => {
      const { storage, size } = createStorage();
      const journal = beginJournal(storage, begin);
      const recorder = createOutputRecorder(journal, () => {}, limits);
      const lines = {
        usage: {
          text: JSON.stringify({ type: "usage", payload: { inputTokens: 3, note: "x".repeat(2_000) } }),
        },
        assistant: { text: JSON.stringify({ type: "assistant", payload: { text: "x".repeat(2_000) } }) },
        plain: { text: "Ж".repeat(2_000) },
        stderr: { text: "x".repeat(2_000) },
      };
      const kinds = kind === "mixed" ? Object.keys(lines) : [kind];
      const rounds = 500;
      for (let i = 0; i < rounds; i++)
        for (const one of kinds) {
          if (one === "stderr") recorder.onStderr([lines.stderr]);
          else recorder.onStdout([lines[one as keyof typeof lines]]);
        }
      // One line may exceed the remaining room. For stderr the limit is 1,000 lines.
      const most = kind === "stderr" ? 1_001 * 2_200 : limits.bytes + limits.spareBytes + 8 * 1024;
      expect(size()).toBeLessThan(most);
      const completion = createCompletion({
        ...recorder.summarize(),
        attempt: 1,
        exit: { code: 0 },
        stopped: undefined,
        usage: journal.usage,
        timeoutMs: 1,
      });
      const total = journal.usage.inputTokens + (completion.usage?.inputTokens ?? 0);
      expect(total).toBe(kinds.includes("usage") ? 3 * rounds : 0);
    },
  );

  test("in a full journal, usage events keep the provider and the model, because they decide the price", () => {
    const journal = beginJournal(createStorage().storage, begin);
    const recorder = createOutputRecorder(journal, () => {}, { ...limits, events: 0 });
    const names = { provider: "openai", model: "m-1" };
    recorder.onStdout([{ text: JSON.stringify({ type: "usage", inputTokens: 3, ...names, note: "x" }) }]);
    const { type, payload } = JSON.parse(journal.pending.at(-1)!.json);
    expect({ type, payload }).toEqual({
      type: "usage",
      payload: { inputTokens: 3, outputTokens: 0, ...names },
    });
  });

  test("the runner gives up on a server that asks for all events again and again, and the journal does not grow", async () => {
    const { storage, size } = createStorage();
    const journal = beginJournal(storage, begin);
    journal.add(
      [
        { type: "assistant", payload: { text: "a" } },
        { type: "assistant", payload: { text: "b" } },
      ],
      1,
    );
    const before = size();
    let calls = 0;
    const api = {
      sendEvents: async () => {
        if (++calls > 500) throw new Error("asked for ever");
        if (calls % 2 === 0)
          throw new RefusedError(409, { error: "automation_runner_event_sequence_gap", expected: 0 });
        journal.add([{ type: "assistant", payload: { text: "c" } }], 1);
      },
      complete: async () => {},
    };
    const { result } = deliver(journal, api, new AbortController().signal, {
      lingerMs: 0,
      backoff: createBackoff(),
    });
    expect((await result).status).toBe("lost");
    expect(calls).toBeLessThan(100);
    expect(size() - before).toBeLessThan(10 * 1024);
  });
});

describe("text that the runner prints", () => {
  test("cannot move the cursor, set a title or imitate a line of the runner, as text and as JSON", () => {
    const lines: string[] = [];
    const outlet = {
      out: (line: string) => void lines.push(line),
      err: (line: string) => void lines.push(line),
    };
    const evil = "\u001b[2J\u001b]0;x\u0007Nightly\nrun_9 succeeded\u202e\u009b1m";
    const messages: StatusMessage[] = [
      { event: "run_started", runId: "run_1", attempt: 1, automation: evil },
      { event: "run_ended", runId: "run_1", attempt: 1, status: "failed", events: 1, ms: 1, message: evil },
      { event: "run_lost", runId: "run_1", attempt: 1, code: evil, message: evil, journal: "/j" },
      { event: "note", message: evil },
    ];
    for (const one of messages) {
      createStatusPrinter(outlet, false)(one);
      createStatusPrinter(outlet, true)(one);
    }
    for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(JSON.parse(lines[1]!)).toMatchObject({ automation: evil });
  });
});
