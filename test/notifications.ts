/** Helpers for notification tests. They create endpoints over HTTP and run the jobs directly. */
import { jobs } from "../src/app.ts";
import { sql } from "../src/platform/db/index.ts";
import type { TestServer } from "./harness.ts";

type Auth = Record<string, string>;

const run = (server: TestServer, name: string) =>
  jobs.find((job) => job.name === name)!.handle(server.platform, {});

/** Turns announced events into webhook deliveries and digest mails. */
export const fanOut = (server: TestServer) => run(server, "notifications.fan-out");
/** Sends webhook deliveries that are due. */
export const deliver = (server: TestServer) => run(server, "notifications.deliver");
export const prune = (server: TestServer) => run(server, "notifications.prune");

/** Sends digest mails that are due. With `later`, all of them are due now. */
export async function mail(server: TestServer, { later = true } = {}) {
  if (later) await server.platform.db.run(sql`update notification_digests set due_at = now()`);
  await run(server, "notifications.mail");
}

/** Makes pending deliveries due now, as after the pause before the next attempt or the lease of a worker. */
export const skipPause = (server: TestServer) =>
  server.platform.db.run(sql`update webhook_endpoint_deliveries set due_at = now() where status = 'pending'`);

export async function createEndpoint(
  server: TestServer,
  headers: Auth,
  body: Record<string, unknown> = {},
): Promise<{ id: string; secret: string }> {
  const reply = await server.call("/v1/webhook-endpoints", {
    body: { url: "http://127.0.0.1:60999/hook", ...body },
    headers,
  });
  if (reply.status !== 201) throw new Error(`endpoint failed: ${reply.status} ${JSON.stringify(reply.body)}`);
  return { id: reply.body.webhookEndpoint.id, secret: reply.body.secret };
}

export interface KeptMail {
  subject: string;
  text: string;
}

/** Mails to this address, oldest first, without the confirmation mail of the account. */
export async function mailsTo(server: TestServer, email: string): Promise<KeptMail[]> {
  const { db, keyring } = server.platform;
  const rows = await db.rows<{ id: string; subject: string; text: string }>(
    sql`select id, subject, text from mails where recipient = ${email} order by id`,
  );
  return rows
    .map(({ id, subject, text }) => ({
      subject,
      text: keyring.open(text, { table: "mails", row: id, column: "text" }),
    }))
    .filter(({ subject }) => !/confirm your/i.test(subject));
}
