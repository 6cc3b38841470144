import { expect, test } from "vitest";
import { createLog } from "../../../platform/log.ts";
import { create } from "../contract.ts";
import type { Plan } from "./plan.ts";
import { streamImport } from "./stream.ts";

const plans = (count: number): Plan[] =>
  Array.from({ length: count }, (_, index) => {
    const url = `https://mcp.example.com/${index}`;
    return { index, key: null, name: url, url, body: create.body.parse({ url }) };
  });
const ctx = { log: createLog("silent"), requestId: "req_1" };

test("when the reader leaves, items that have not started are not saved", async () => {
  const abort = new AbortController();
  const saved: string[] = [];
  const waiting: (() => void)[] = [];
  const actions = {
    findSaved: async () => undefined,
    save: async ({ url }: { url: string }) => {
      saved.push(url);
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { id: url };
    },
  };
  const messages = streamImport(ctx, plans(12), actions, abort.signal);
  await messages.next();
  await expect.poll(() => waiting.length).toBe(4);
  abort.abort();
  for (const resolve of waiting) resolve();
  while (!(await messages.next()).done);
  await new Promise((resolve) => setImmediate(resolve));
  expect(saved).toHaveLength(4);
});

test("a fault in one item is reported for that item without its text, and the others go on", async () => {
  const actions = {
    findSaved: async () => undefined,
    save: async ({ url }: { url: string }) => {
      if (url.endsWith("/1")) throw new Error("a secret detail");
      return { id: url };
    },
  };
  const messages = [];
  for await (const message of streamImport(ctx, plans(3), actions, new AbortController().signal))
    messages.push(message);
  expect(messages.at(-1)).toEqual({
    ...{ event: "done", data: { saved: 2, exists: 0, choiceRequired: 0, refused: 1 } },
  });
  expect(JSON.stringify(messages)).toContain("internal_error");
  expect(JSON.stringify(messages)).not.toContain("a secret detail");
});
