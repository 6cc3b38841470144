/** Notifications as the tests use them: endpoints over HTTP like everybody, and jobs as a worker does them. */
import { jobs } from "../src/app.ts";
import { sql } from "../src/platform/db/index.ts";
import type { TestServer } from "./harness.ts";

type Auth = Record<string, string>;

const run = (server: TestServer, name: string) =>
  jobs.find((job) => job.name === name)!.handle(server.platform, {});

/** Makes deliveries and mails of what was announced. */
export const fanOut = (server: TestServer) => run(server, "notifications.fan-out");
/** Sends what is due. */
export const deliver = (server: TestServer) => run(server, "notifications.deliver");
export const prune = (server: TestServer) => run(server, "notifications.prune");

/** Mails what is due; with `later`, as if the time to collect were over. */
export async function mail(server: TestServer, { later = true } = {}) {
  if (later) await server.platform.db.run(sql`update notification_digests set due_at = now()`);
  await run(server, "notifications.mail");
}

/** As if the pause before the next attempt, or the lease of a worker, were over. */
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

/** The mails that an address got, oldest first. Mails about the account itself are left out. */
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
