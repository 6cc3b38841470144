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
