import { afterAll, expect, test } from "vitest";
import { corpus } from "../../../../test/fixtures/webhook-payloads.ts";
import { createSandbox } from "../../../platform/sandbox/index.ts";
import { parseAnySize } from "./parse.ts";
import { parseDelivery } from "./payload.ts";

const sandbox = createSandbox();
afterAll(() => sandbox.close());

const contentType = "application/json";
const toDelivery = ({
  dialect,
  event,
  body,
}: Pick<(typeof corpus)[number], "dialect" | "event" | "body">) => ({
  dialect,
  event,
  contentType,
  body: Buffer.from(JSON.stringify(body)),
});
const enlarge = (body: object) => ({ ...body, padding: "x".repeat(300_000) });

test("small bodies, and bodies of events without effect, are parsed without a thread", async () => {
  const [small] = corpus;
  expect(await parseAnySize(sandbox, toDelivery(small!))).toEqual(parseDelivery(toDelivery(small!)));
  const ping = { dialect: "github" as const, event: "ping", body: enlarge({}) };
  expect((await parseAnySize(sandbox, toDelivery(ping))).event.type).toBe("ignored");
  expect(sandbox.threads).toBe(0);
});

test.each(corpus)("$name is parsed to the same event in a thread", async (one) => {
  const large = toDelivery({ ...one, body: enlarge(one.body) });
  expect(await parseAnySize(sandbox, large)).toEqual(parseDelivery(large));
  expect(sandbox.threads).toBeGreaterThan(0);
});

test("a large body that is not JSON, or has too many values, is refused as in this process", async () => {
  const wrong = ["{".repeat(300_000), "[]".padEnd(300_000), `{"values":[${"0,".repeat(2_100_000)}0]}`];
  for (const text of wrong) {
    const delivery = { dialect: "github" as const, event: "push", contentType, body: Buffer.from(text) };
    const { status, body } = await parseAnySize(sandbox, delivery).catch((error) => error);
    expect(() => parseDelivery(delivery)).toThrow(expect.objectContaining({ status, body }));
    expect(status).toBe(400);
  }
});
