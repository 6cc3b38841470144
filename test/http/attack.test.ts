/** The short form of `npm run test:attack`: requests made from the API description, on a server of this process. */
import { expect, test } from "vitest";
import { fillDemo } from "../../src/features/demo/index.ts";
import { attack } from "../attack/attack.ts";
import { operations } from "../attack/requests.ts";
import { readOwnIds, withoutShared } from "../attack/tenants.ts";
import { createWorkspace, useServer } from "../harness.ts";

const server = useServer({
  env: { SIGNUP: "open", LOG_LEVEL: "error", CODEHOST_WEBHOOK_SECRET: "secret of the code host" },
});

test("valid, mutated and hostile requests to every operation cause no fault and show nothing of another tenant", {
  timeout: 300_000,
}, async () => {
  const demo = await fillDemo(server.platform, { seed: "attack" });
  const other = await createWorkspace(server);
  const ids = withoutShared(
    await readOwnIds(server.url, { "x-api-key": demo.key }),
    await readOwnIds(server.url, other.owner.auth),
  );
  expect([...ids.values()].flat().length).toBeGreaterThan(100);
  const words = [demo.key, demo.password, demo.organization.name, ...demo.people.map(({ email }) => email)];
  const { sent, problems, statuses, succeeded } = await attack({
    url: server.url,
    victim: { ids, words },
    seed: 20_261_116,
    count: operations.length * 4,
  });
  expect(problems).toEqual([]);
  expect(sent).toBeGreaterThanOrEqual(operations.length * 4);
  // The attack is worth something only if requests reach the rooms.
  expect(succeeded.valid ?? 0).toBeGreaterThan(20);
  expect(statuses[404] ?? 0).toBeGreaterThan(20);
  expect(server.logLines.filter((line) => /"level":(?:50|60)/.test(line))).toEqual([]);
});
