import { createTransport } from "nodemailer";
import type { Platform } from "../context.ts";
import type { Db } from "../db/index.ts";
import { newId } from "../ids.ts";
import { job } from "../jobs/index.ts";
import type { Keyring } from "../keyring.ts";
import * as store from "./store.ts";

export interface Message {
  to: string;
  subject: string;
  text: string;
}

export interface Mail {
  /** Commits with the caller's transaction; delivery is a job. */
  send(db: Db, message: Message): Promise<void>;
}

/** Mails hold links that sign people in, so their text is sealed and does not outlive its use. */
const placeOf = (id: string) => ({ table: "mails", row: id, column: "text" });
export const sealedMails = { table: "mails", id: "id", column: "text" };

export function createMail({
  keyring,
  smtpUrl,
  jobs,
}: {
  keyring: Keyring;
  smtpUrl: string | undefined;
  jobs: Platform["jobs"];
}): Mail {
  return {
    async send(db, { to, subject, text }) {
      const id = newId("mail");
      const sealed = keyring.seal(text, placeOf(id));
      await db.transaction(async (tx) => {
        await store.insert(tx, { id, to, subject, text: sealed, status: smtpUrl ? "queued" : "kept" });
        if (smtpUrl) await jobs.add(tx, deliver, { id });
      });
    },
  };
}

export const deliver = job<{ id: string }>({
  name: "mail.deliver",
  retries: 10,
  retryDelay: 10,
  concurrency: 2,
  expireInSeconds: 60,
  async handle({ db, config, keyring }, { id }) {
    const mail = await store.findQueued(db, id);
    if (!mail || !config.smtpUrl) return;
    const transport = createTransport(config.smtpUrl, {
      from: config.mailFrom ?? `Signalbox <signalbox@${new URL(config.publicUrl).hostname}>`,
    });
    try {
      await transport.sendMail({
        to: mail.to,
        subject: mail.subject,
        text: keyring.open(mail.text, placeOf(id)),
        // A second delivery after a crash carries the same id, so that mailboxes can show it once.
        messageId: `<${id}@${new URL(config.publicUrl).hostname}>`,
      });
    } catch (error) {
      await store.noteFailure(db, id, (error as Error).message);
      throw error;
    } finally {
      transport.close();
    }
    await store.markSent(db, id);
  },
});

export const tidy = job({
  name: "mail.tidy",
  schedule: "17 * * * *",
  handle: async ({ db }) => {
    await store.removeOld(db);
  },
});

/** What was kept or is still on its way, newest first, opened: for the operator's own eyes. */
export async function readMails({ db, keyring }: Pick<Platform, "db" | "keyring">, limit: number) {
  const mails = await store.list(db, limit);
  return mails.map((mail) => ({
    ...mail,
    text: mail.text === null ? null : keyring.open(mail.text, placeOf(mail.id)),
  }));
}
