import { describe, expect, test } from "vitest";
import { createLog, createRequestLog, type RequestLine } from "./log.ts";
import { prettyLines } from "./pretty-log.ts";

function collect(pretty: boolean, colour = false) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, log: createLog("info", pretty ? prettyLines(destination, colour) : destination) };
}
const request: RequestLine = {
  ...{ requestId: "req_1", operation: "getV1Me", method: "GET", status: 200, ms: 1.3, address: "::1" },
  ...{ traceId: undefined, credential: undefined, userId: undefined, orgId: undefined },
};
const time = /^\d\d:\d\d:\d\d /;

describe("the log on a terminal", () => {
  test("is one readable line: time, level, message, fields", () => {
    const { lines, log } = collect(true);
    log.info({ applied: ["0001_a", "0002_b"], dataDir: "/srv/data" }, "database migrated");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(time);
    expect(lines[0]!.replace(time, "")).toBe(
      'info  database migrated  applied=["0001_a","0002_b"] dataDir=/srv/data\n',
    );
  });

  test("shows the operation, the status and the duration of a request", () => {
    const { lines, log } = collect(true);
    const write = createRequestLog(log);
    write(request);
    write({ ...request, status: 500 });
    expect(lines.map((line) => line.replace(time, ""))).toEqual([
      "info  GET getV1Me 200 in 1.3 ms\n",
      "info  GET getV1Me 500 in 1.3 ms  requestId=req_1\n",
    ]);
  });

  test("shows an error with its stack and cause, indented", () => {
    const { lines, log } = collect(true);
    log.error({ err: new Error("It broke", { cause: new Error("the disk is full") }) }, "job failed");
    expect(lines[0]).toMatch(
      /error job failed\n {4}Error: It broke\n {4} +at .*\n(.*\n)* {4}caused by: the disk is full\n$/,
    );
  });

  test("escapes control characters and shows no secret", () => {
    const { lines, log } = collect(true, true);
    log.warn({ name: "a\u001b[2J\nb", password: "hunter2" }, "odd\u0007 text");
    const painted = lines[0]!;
    expect(painted).toContain("name=a\\u001b[2J\\u000ab password=[redacted]");
    expect(painted).toContain("odd\\u0007 text");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours are what remains
    expect(painted.replace(/\u001b\[\d+m/g, "")).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

test("the log elsewhere is one JSON object a line", () => {
  const { lines, log } = collect(false);
  log.info({ count: 1 }, "hello");
  expect(JSON.parse(lines[0]!)).toEqual({ level: "info", time: expect.any(String), count: 1, msg: "hello" });
});

test("the line of a request is JSON, whatever its texts contain", () => {
  const { lines, log } = collect(false);
  const odd = {
    ...request,
    requestId: 'a"b\\c\nd\u2028',
    orgId: "org_1",
    userId: "é",
    credential: "session",
  };
  createRequestLog(log)(odd);
  const { traceId: _, ...shown } = odd;
  expect(JSON.parse(lines[0]!)).toEqual({
    level: "info",
    time: expect.any(String),
    ...shown,
    msg: "request",
  });
});
