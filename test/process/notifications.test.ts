import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { startReceiver } from "../webhook-receiver.ts";
import { ada, cleanUp, serve } from "./kit.ts";

afterAll(cleanUp);

describe.skipIf(!(await isPostgresAvailable()))("a server that is killed after it sent an event", () => {
  test("sends it again with the same id after its lease, and says that the first may have arrived", async () => {
    const database = await makeDatabase();
    const receiver = await startReceiver();
    const env = { DATABASE_URL: database.url, SIGNALBOX_SECRET: "a secret for the tests, long enough" };
    const first = await serve(undefined, env);
    const { token } = (await first.call("/api/auth/sign-up/email", { body: ada })).body;
    const headers = { authorization: `Bearer ${token}` };
    await first.call("/v1/organizations", { body: { name: "Acme" }, headers });
    const made = await first.call("/v1/webhook-endpoints", { body: { url: receiver.url }, headers });
    const path = `/v1/webhook-endpoints/${made.body.webhookEndpoint.id}`;

    // The event has arrived. The process is killed before it gets the answer.
    let killed: Promise<unknown> | undefined;
    receiver.answer = () => {
      killed ??= first.end("SIGKILL");
      return { status: 204, delayMs: 500 };
    };
    await fetch(`${first.url}${path}/test`, { method: "POST", headers });
    await expect.poll(() => killed !== undefined, { timeout: 20_000 }).toBe(true);
    await killed;
    expect(receiver.received).toHaveLength(1);

    const client = new pg.Client(database.url);
    await client.connect();
    await client.query("update webhook_endpoint_deliveries set due_at = now()");
    await client.end();
    const second = await serve(undefined, env);
    await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(2);
    const [one, other] = receiver.received;
    expect(other!.headers["webhook-id"]).toBe(one!.headers["webhook-id"]);
    expect(other!.body).toBe(one!.body);
    const log = async () => (await second.call(`${path}/deliveries`, { headers })).body.items;
    await expect.poll(async () => (await log())[0].status, { timeout: 10_000 }).toBe("succeeded");
    const [{ id }] = await log();
    const { body } = await second.call(`${path}/deliveries/${id}`, { headers });
    expect(body.delivery).toMatchObject({
      attempt: 2,
      attempts: [
        { attempt: 1, responseStatus: null, error: expect.stringContaining("may have arrived") },
        { attempt: 2, responseStatus: 204, error: null },
      ],
    });
    await second.end("SIGTERM");
    await receiver.close();
    await database.drop();
  });
});
