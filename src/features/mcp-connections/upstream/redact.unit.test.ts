import { expect, test } from "vitest";
import { createRedaction } from "./redact.ts";

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
