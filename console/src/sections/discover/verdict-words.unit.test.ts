import { describe, expect, test } from "vitest";
import type { Result, Step } from "./types.ts";
import { addStep } from "./use-discovery.ts";
import {
  describeProgress,
  describeVerdict,
  findCorrectedUrl,
  isRedacted,
  listFacts,
  suggestProviderId,
} from "./verdict-words.ts";

const url = "https://mcp.example/mcp";
const result = (more: Partial<Result> = {}): Result => ({
  status: "ready",
  server: { url, protocolVersion: "2025-11-25", initialize: "succeeded" },
  authentication: {
    kind: "none",
    authorizationServers: [],
    requiredScopes: [],
    recommendedScopes: [],
    refreshSupport: "unknown",
    availableRegistrationMethods: ["pre_registered"],
    recommendedRegistrationMethod: "pre_registered",
  },
  tools: { visibility: "available_without_auth", count: 8, items: [] },
  manualRequirements: [],
  warnings: [],
  ...more,
});
const need = (code: string, reason = "") => ({ code, label: code, reason, required: true });

describe("the verdict in words", () => {
  test("an open server is ready as it is, with its number of tools", () => {
    expect(describeVerdict(url, result())).toEqual({
      title: "Ready to connect, as it is",
      text: "The server is open: it shows its 8 tools to anybody. No account is needed.",
    });
    expect(listFacts(result())).toEqual([
      ["Sign-in", "None needed"],
      ["Protocol", "MCP 2025-11-25"],
      ["Tools", "8, shown without sign-in"],
      ["Handshake", "Succeeded"],
    ]);
  });

  test("one requirement is named in the title, several are counted", () => {
    const verdict = (...codes: string[]) =>
      describeVerdict(
        url,
        result({ status: "manual_action_required", manualRequirements: codes.map((code) => need(code)) }),
      );
    expect(verdict("bearer_token").title).toBe("One thing needs a person: get a token for it");
    expect(verdict("bearer_token", "https_required").title).toBe("Two things need a person");
    expect(verdict("a_code_of_a_newer_server").title).toBe("One thing needs a person: see below");
  });

  test("a server that may not be called is told apart from one that does not answer", () => {
    const unreachable = result({ status: "unreachable", warnings: [{ code: "x", message: "Because." }] });
    expect(describeVerdict(url, unreachable)).toEqual({
      title: "mcp.example did not answer",
      text: "Because.",
    });
    const refused = { ...unreachable, manualRequirements: [need("network_trust")] };
    expect(describeVerdict(url, refused).title).toBe("This instance may not call mcp.example");
  });
});

test("the address that a requirement names is found, and a redacted one is not offered", () => {
  const find = (code: string, reason: string) => findCorrectedUrl(need(code, reason));
  expect(
    find(
      "https_required",
      "The server is served over https. Use https://a.example/mcp instead of http://a.example/mcp and discover again.",
    ),
  ).toBe("https://a.example/mcp");
  expect(
    find(
      "server_url_correction",
      "The server calls itself https://a.example/mcp. If that is the server you mean, discover again with that URL.",
    ),
  ).toBe("https://a.example/mcp");
  expect(
    find(
      "server_url_correction",
      "The server has moved. Use https://a.example/[redacted]/mcp and discover again.",
    ),
  ).toBeUndefined();
  expect(find("bearer_token", "Use https://a.example")).toBeUndefined();
  expect(isRedacted("https://a.example/?key=%5Bredacted%5D")).toBe(true);
});

test("the suggested id is one that the API accepts", () => {
  expect(suggestProviderId("https://www.id.example.com/tenant")).toBe("id-example-com");
  expect(suggestProviderId("not a url")).toBe("custom");
  const long = suggestProviderId(`https://${"a".repeat(39)}.example`);
  expect(long).toMatch(/^[a-z0-9][a-z0-9-]{1,39}$/);
});

test("messages of the stream become a list of requests, in any order of answers", () => {
  const base = { method: "POST", url, startedMs: 0 };
  let steps: readonly Step[] = [];
  steps = addStep(steps, { ...base, index: 0, state: "sent", step: "probe_discover" });
  steps = addStep(steps, { ...base, index: 1, state: "sent", step: "probe_initialize" });
  steps = addStep(steps, {
    ...base,
    index: 1,
    state: "answered",
    step: "probe_initialize",
    status: 401,
    ms: 4,
  });
  expect(steps.map(({ state, status }) => [state, status])).toEqual([
    ["sent", undefined],
    ["answered", 401],
  ]);
  expect(describeProgress(steps)).toContain("It wants people to sign in.");
});
