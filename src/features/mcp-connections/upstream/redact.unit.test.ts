import { expect, test } from "vitest";
import { createRedaction } from "./redact.ts";

test.each([
  ["https://mcp.example.com/mcp", ["mcp.example.com/mcp"]],
  ["http://127.0.0.1:8080/v1/servers/a-rather-long-name-of-a-server", ["a-rather-long-name-of-a-server"]],
])("an address without secrets is left as it is: %s", (url, texts) => {
  const { clean } = createRedaction(url, {});
  expect(clean(texts)).toEqual(texts);
});

test.each([
  ["https://mcp.example.com/mcp?key=abcdefgh", "abcdefgh"],
  ["https://mcp.example.com/8f14e45fceea167a5a36dedd4bea2543", "8f14e45fceea167a5a36dedd4bea2543"],
  ["https://mcp.example.com/8f14e45fceea167a5a36%64edd4bea2543", "8f14e45fceea167a5a36dedd4bea2543"],
  [`https://mcp.example.com/${"path/".repeat(100)}behind-the-end`, "behind-the-end"],
])("an address with secrets is not: %s", (url, secret) => {
  const { clean } = createRedaction(url, {});
  expect(clean([secret])).toEqual(["[redacted]"]);
});

test("secrets of the address are removed from what a server sends, wherever they stand in it", () => {
  const secret = "8f14e45fceea167a5a36dedd4bea2543";
  const { clean } = createRedaction(`https://mcp.example.com/s/${secret}/mcp?key=of%20the%20company`, {});
  const listing = {
    tools: [{ name: "read", description: `Reads https://mcp.example.com/s/${secret}/files.` }],
    instructions: "Use of the company.",
  };
  expect(clean(listing)).toEqual({
    tools: [{ name: "read", description: "Reads https://mcp.example.com/s/[redacted]/files." }],
    instructions: "Use [redacted].",
  });
});

test("a secret of digits is also removed from numbers, and the rest of the result stays as it is", () => {
  const { clean, cleanResult } = createRedaction("https://mcp.example.com/mcp", { "x-account": "12345678" });
  const result = {
    content: [{ type: "text" as const, text: "Account 12345678 has 2 tickets." }],
    structuredContent: { account: 12345678, order: 9912345678, tickets: 2, isOpen: true, note: null },
  };
  expect(cleanResult(result, 1_000).result).toEqual({
    content: [{ type: "text", text: "Account [redacted] has 2 tickets." }],
    structuredContent: { account: "[redacted]", order: "[redacted]", tickets: 2, isOpen: true, note: null },
  });
  expect(clean({ progress: 12345678 })).toEqual({ progress: "[redacted]" });
});

test("a text that only looks like a secret in JSON is left as it is", () => {
  const { clean } = createRedaction("https://mcp.example.com/mcp", { "x-api-key": "next-to-me" });
  expect(clean(["a\next-to-me", "next-to-me"])).toEqual(["a\next-to-me", "[redacted]"]);
});

test("a name of a field that contains a secret is changed too", () => {
  const { clean } = createRedaction("https://mcp.example.com/mcp", { "x-api-key": 'sec"ret-of-mine' });
  expect(clean({ 'of sec"ret-of-mine': 1, __proto__x: 2 })).toEqual({ "of [redacted]": 1, __proto__x: 2 });
});
