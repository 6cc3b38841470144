import { expect, test } from "vitest";
import { createWorkspace, useServer } from "../../../../test/harness.ts";
import { commit, insertConnector, pushBody, signedHeaders } from "../../../../test/webhooks.ts";

const server = useServer();

test("a large delivery that a stop interrupts is answered with 503 and not recorded as invalid", async () => {
  const { owner, orgId } = await createWorkspace(server);
  const connector = await insertConnector(server.platform, orgId);
  // A stop first ends the thread that would parse the body.
  await server.platform.sandbox.close();
  const body = pushBody(connector, commit(), { bytes: 300_000 });
  const reply = await server.call(`/v1/webhooks/connectors/codehost?connector=${connector.id}`, {
    body,
    headers: signedHeaders.github(connector.secret, body),
  });
  expect(reply).toMatchObject({ status: 503, body: { error: "service_unavailable" } });
  const list = await server.call(`/v1/webhook-deliveries?connectorId=${connector.id}`, {
    headers: owner.auth,
  });
  expect(list.body.items).toEqual([]);
});
