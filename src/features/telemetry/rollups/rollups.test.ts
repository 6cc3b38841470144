import { expect, test } from "vitest";
import { createWorkspace, useServer } from "../../../../test/harness.ts";
import { sql } from "../../../platform/db/index.ts";
import { sumTelemetry } from "../index.ts";
import { maxDurationMs, maxTokens } from "../record.ts";

const server = useServer();

test("sums beyond 64 bits are kept, and shown as the largest exact number", async () => {
  const { owner, orgId } = await createWorkspace(server);
  const at = Date.now();
  const attributes = { "gen_ai.usage.input_tokens": maxTokens, "signalbox.duration_ms": maxDurationMs };
  const send = (part: string) =>
    server.call("/v1/telemetry/events", {
      body: {
        events: Array.from({ length: 500 }, (_, i) => ({ id: `${part}-${i}`, type: "step", at, attributes })),
      },
      headers: owner.auth,
    });
  expect((await send("a")).body.accepted).toBe(500);
  await sumTelemetry(server.platform, Date.now() + 10_000);
  // As if the same had arrived for years.
  await server.platform.db.run(sql`
    update telemetry_sums set input_tokens = 9223372036854775807, duration_ms = 9223372036854775807
    where org_id = ${orgId}`);
  expect((await send("b")).status).toBe(200);
  await sumTelemetry(server.platform, Date.now() + 10_000);
  const { status, body } = await server.call("/v1/telemetry/summary", { headers: owner.auth });
  expect(status).toBe(200);
  expect(body.items).toMatchObject([
    {
      inputTokens: Number.MAX_SAFE_INTEGER,
      durationMs: Number.MAX_SAFE_INTEGER,
      outputTokens: 0,
      events: 1000,
    },
  ]);
});
