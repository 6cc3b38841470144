import type { AutomationRunEvent } from "@signalbox/client";
import { describe, expect, test } from "vitest";
import { readCall, readSearch, readText, readUsage, summarize, summarizeCall } from "./read-event.ts";
import { createTimeline } from "./timeline.ts";

const event = (
  sequence: number,
  type: AutomationRunEvent["type"],
  payload: Record<string, unknown>,
  attempt = 1,
): AutomationRunEvent => ({ runId: "run_1", attempt, sequence, type, payload, createdAt: 0, receivedAt: 0 });

const call = (sequence: number, name: string, attempt = 1) =>
  event(sequence, "capability_execution", { name, input: { n: sequence } }, attempt);

describe("the timeline of a run", () => {
  test("groups calls of the same tool that follow each other, and nothing else", () => {
    const timeline = createTimeline();
    timeline.append([call(0, "read"), call(1, "read")]);
    timeline.append([
      call(2, "read"),
      event(3, "assistant", { text: "Hm." }),
      call(4, "read"),
      call(5, "write"),
    ]);
    expect(timeline.select("all", "").map(({ key, events }) => [key, events.length])).toEqual([
      ["1.0", 3],
      ["1.3", 1],
      ["1.4", 1],
      ["1.5", 1],
    ]);
    expect(timeline.count("calls")).toBe(5);
    expect(timeline.count("all")).toBe(6);
  });

  test("begins a new group after 20 calls, so that an opened group stays short", () => {
    const timeline = createTimeline();
    timeline.append(Array.from({ length: 45 }, (_, i) => call(i, "read")));
    expect(timeline.select("all", "").map(({ events }) => events.length)).toEqual([20, 20, 5]);
  });

  test("marks where another attempt begins, and does not group across it", () => {
    const timeline = createTimeline();
    timeline.append([call(0, "read"), call(0, "read", 2)]);
    expect(timeline.select("all", "").map(({ kind }) => kind)).toEqual([
      "capability_execution",
      "attempt",
      "capability_execution",
    ]);
  });

  test("selects by kind and by text, without regard to case", () => {
    const timeline = createTimeline();
    timeline.append([
      event(0, "user", { text: "Find the Gripper fault." }),
      call(1, "search_issues"),
      event(2, "warning", { text: "slow" }),
    ]);
    expect(timeline.select("messages", "").map(({ key }) => key)).toEqual(["1.0"]);
    expect(timeline.select("all", " gripper ").map(({ key }) => key)).toEqual(["1.0"]);
    expect(timeline.select("all", "SEARCH_").map(({ key }) => key)).toEqual(["1.1"]);
    expect(timeline.select("warnings", "gripper")).toEqual([]);
  });
});

describe("the payload of an event", () => {
  test("has its text in one of the usual places", () => {
    expect(readText({ text: "a" })).toBe("a");
    expect(readText({ content: [{ type: "text", text: "a" }, { type: "image" }, "b"] })).toBe("a\nb");
    expect(readText({ message: { content: "a" } })).toBe("a");
    expect(readText({ anything: 1 })).toBeUndefined();
  });

  test("names a call, what it got and what came back", () => {
    expect(readCall({ tool: "t", arguments: { a: 1 }, output: "o", duration_ms: 5 }, "Call")).toEqual({
      name: "t",
      input: { a: 1 },
      result: "o",
      durationMs: 5,
      hasFailed: false,
    });
    expect(readCall({ error: "no" }, "Call")).toMatchObject({ name: "Call", result: "no", hasFailed: true });
    expect(readCall({ is_error: true }, "Call").hasFailed).toBe(true);
    expect(readSearch({ query: "issues", results: "none" })).toEqual({ query: "issues", results: [] });
    expect(readUsage({ inputTokens: -1, outputTokens: "x" })).toEqual({
      model: undefined,
      inputTokens: 0,
      outputTokens: 0,
      costMicros: undefined,
    });
  });

  test("becomes one short line", () => {
    expect(summarize({ number: 7, labels: ["a"], text: "x\ny" })).toBe("7, x y");
    expect(summarize("long ".repeat(100)).length).toBeLessThan(150);
    expect(summarizeCall(readCall({ name: "t", input: { n: 7 }, result: "done" }, ""))).toBe("7 → done");
    expect(summarizeCall(readCall({ name: "t", result: { a: 1 } }, ""))).toBe("1");
  });
});
