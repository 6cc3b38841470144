import { expect, test } from "vitest";
import { createWorkspace, useServer } from "../../../../test/harness.ts";
import { recordStatements } from "../../../../test/plans.ts";
import { sql } from "../../../platform/db/index.ts";

const server = useServer();

const nanos = (ms: number) => String(BigInt(ms) * 1_000_000n);

test("a name that a refused request brought is in the database when the process takes it for known", async () => {
  const { owner, orgId } = await createWorkspace(server);
  // Enough for the point of the counter, and too little for its event.
  await server.platform.db.run(
    sql`insert into organization_quotas (org_id, quota, max) values (${orgId}, 'telemetry_storage', 300)`,
  );
  const dataPoints = [
    { startTimeUnixNano: nanos(Date.now() - 60_000), timeUnixNano: nanos(Date.now()), asInt: "1" },
  ];
  const metrics = [{ name: "m", sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints } }];
  const send = () =>
    server.call("/otlp/v1/metrics", {
      body: { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] },
      headers: owner.auth,
    });
  expect((await send()).status).toBe(409);
  const statements = await recordStatements(server.engine, send);
  const isKnown = !statements.some(({ text }) => text.includes("telemetry_names"));
  const stored = await server.platform.db.rows(sql`select from telemetry_names where org_id = ${orgId}`);
  expect({ isKnown, stored: stored.length }).toEqual({ isKnown: true, stored: 1 });
});

test("a new name costs one statement that returns only the names of the request", async () => {
  const { owner } = await createWorkspace(server);
  const report = (...types: string[]) =>
    server.call("/v1/telemetry/events", {
      body: { events: types.map((type) => ({ id: type, type, at: Date.now() })) },
      headers: owner.auth,
    });
  await report(...Array.from({ length: 150 }, (_, i) => `type ${i}`));
  const { query, transaction } = server.engine;
  let returned = 0;
  const statements = await recordStatements(server.engine, async () => {
    const { transaction: recorded } = server.engine;
    server.engine.transaction = (inside, options) =>
      recorded(
        (session) =>
          inside({
            ...session,
            query: async (text, values) => {
              const reply = await session.query(text, values);
              if (text.includes("telemetry_names")) returned += reply.rows.length;
              return reply;
            },
          }),
        options,
      );
    // Many requests bring the same new name at the same time.
    await Promise.all(Array.from({ length: 5 }, () => report("one more")));
  });
  Object.assign(server.engine, { query, transaction });
  expect(statements.filter(({ text }) => text.includes("into telemetry_names"))).toHaveLength(1);
  expect(returned).toBe(1);
});
