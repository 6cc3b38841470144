import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../src/platform/db/index.ts";
import {
  createDatabase,
  createWorkspace,
  invite,
  signUp,
  startServer,
  type TestDatabase,
  type TestServer,
  verifyAddress,
} from "../harness.ts";

interface Post {
  to: string[];
  raw: string;
}

describe("mail over SMTP", () => {
  const posts: Post[] = [];
  let refusing = false;
  let delayMs = 0;
  let smtp: SMTPServer;
  let database: TestDatabase;
  let server: TestServer;

  beforeAll(async () => {
    smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onRcptTo: (_address, _session, done) => done(refusing ? new Error("450 mailbox busy") : null),
      onData(stream, session, done) {
        let raw = "";
        stream.on("data", (chunk: Buffer) => {
          raw += chunk;
        });
        stream.on("end", () => {
          posts.push({ to: session.envelope.rcptTo.map(({ address }) => address), raw });
          setTimeout(done, delayMs);
        });
      },
    });
    await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
    const { port } = smtp.server.address() as { port: number };
    database = await createDatabase();
    const env = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: "Signalbox <box@example.com>" };
    server = await startServer(database, { role: "all", env });
  });
  afterAll(async () => {
    await server?.close();
    await database?.drop();
    await new Promise<void>((resolve) => smtp.close(() => resolve()));
  });

  const rows = () =>
    server.platform.db.rows<{ status: string; text: string | null; error: string | null }>(
      sql`select status, text, error from mails order by id desc`,
    );

  test("is delivered to its recipient, and its text is then deleted", async () => {
    const ada = await signUp(server);
    await expect.poll(() => posts.length, { timeout: 10_000 }).toBe(1);
    expect(posts[0]?.to).toEqual([ada.email]);
    expect(posts[0]?.raw).toContain("From: Signalbox <box@example.com>");
    expect(posts[0]?.raw).toContain("Subject: Confirm your e-mail address");
    await expect.poll(rows).toMatchObject([{ status: "sent", text: null }]);
  });

  test("that the server refuses temporarily stays sealed and is tried again", async () => {
    refusing = true;
    const before = posts.length;
    await signUp(server);
    await expect
      .poll(async () => (await rows())[0], { timeout: 10_000 })
      .toMatchObject({ status: "queued", error: expect.stringContaining("mailbox busy") });
    expect((await rows())[0]?.text).toMatch(/^v2\./);
    refusing = false;
    await expect.poll(() => posts.length, { timeout: 45_000, interval: 250 }).toBe(before + 1);
  }, 60_000);

  test("of a sender with many mails does not delay the mail of another sender", async () => {
    const acme = await createWorkspace(server);
    await verifyAddress(server, acme.owner);
    const before = posts.length;
    delayMs = 100;
    for (let i = 0; i < 30; i++)
      await invite(server, acme.owner, { email: `invited${i}@example.com`, role: "member" });
    const ada = await signUp(server);
    const isThere = () => posts.slice(before).some(({ to }) => to.includes(ada.email));
    await expect.poll(isThere, { timeout: 20_000, interval: 20 }).toBe(true);
    const invitations = posts.slice(before).filter(({ to }) => to[0]!.startsWith("invited"));
    expect(invitations.length).toBeLessThan(25);
    delayMs = 0;
    await expect.poll(() => posts.length - before, { timeout: 30_000 }).toBeGreaterThanOrEqual(32);
  }, 60_000);
});
