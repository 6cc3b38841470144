import { RefusedError, UnreachableError } from "@signalbox/client";
import { describe, expect, test } from "vitest";
import { describeFailure } from "../../../src/commands/remote/failures.ts";

describe("the exit code and text of a refusal", () => {
  test.for([
    [401, { error: "unauthorized" }, 4, /^The server does not accept this API key.*`signalbox login`/],
    [
      403,
      { error: "forbidden", reason: "missing_permission", message: "Ask an owner." },
      4,
      /^Not allowed \(missing_permission\): Ask an owner\.$/,
    ],
    [404, { error: "template_not_found" }, 5, /^There is no such template that you can see/],
    [409, { error: "owner_left", message: "The owner has left." }, 1, /^The owner has left\.$/],
    [
      400,
      { error: "invalid_request", details: [{ message: "Too long.", path: ["name"] }] },
      1,
      /name: Too long\.$/,
    ],
    [500, { error: "internal" }, 1, /^The server failed \(HTTP 500/],
    [409, { error: "x", message: "a\u001b[2J" }, 1, /^a\ufffd\[2J$/],
  ] as [number, Record<string, unknown>, number, RegExp][])("for %d %j", ([status, body, code, sentence]) => {
    const failure = describeFailure(new RefusedError(status, body));
    expect(failure).toEqual({ sentence: expect.stringMatching(sentence), code });
  });
});

test("a rate limit says when to try again, and an unreachable server says why", () => {
  const limited = { error: "rate_limited", message: "Too many." };
  expect(describeFailure(new RefusedError(429, limited, { retryAfterMs: 77_000 }))).toEqual({
    sentence: "Too many requests. Try again in 77 s.",
    code: 1,
  });
  expect(describeFailure(new RefusedError(429, limited))).toMatchObject({
    sentence: "Too many requests. Try again in 60 s.",
  });
  expect(
    describeFailure(new UnreachableError("http://a.example", "it redirects to http://b.example")),
  ).toEqual({
    sentence:
      "No usable answer from http://a.example (it redirects to http://b.example). Check that the server runs and that the URL is right.",
    code: 1,
  });
});
