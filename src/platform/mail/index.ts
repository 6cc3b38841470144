import type { Mail, Platform } from "../context.ts";
import type { Db } from "../db/index.ts";
import { newId } from "../ids.ts";
import { job } from "../jobs/index.ts";
import type { Keyring } from "../keyring.ts";
import * as store from "./store.ts";

export type { Mail, Message } from "../context.ts";
export { countMail } from "./limits.ts";
export { formatNameForSubject, formatNameForText } from "./text.ts";

/** Mails hold links that sign people in, so their text is sealed and does not outlive its use. */
const createMailPlace = (id: string) => ({ table: "mails", row: id, column: "text" });
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
    async send(db, { to, subject, text }, { sentToday = 0 } = {}) {
      const id = newId("mail");
      const sealed = keyring.seal(text, createMailPlace(id));
      await db.transaction(async (tx) => {
        await store.insert(tx, { id, to, subject, text: sealed, status: smtpUrl ? "queued" : "kept" });
        if (smtpUrl) await jobs.add(tx, deliver, { id }, { priority: -sentToday });
      });
    },
  };
}

/** Loaded for the first mail, because most starts send none. */
const loadMailer = () => import("nodemailer");

/** Connects and signs in as a delivery does. Throws the error of the mail server. */
export async function trySmtp(smtpUrl: string): Promise<void> {
  const { createTransport } = await loadMailer();
  const transport = createTransport({ url: smtpUrl, connectionTimeout: 5_000, greetingTimeout: 5_000 });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

export const deliver = job<{ id: string }>({
  name: "mail.deliver",
  retries: 10,
  retryDelay: 10,
  concurrency: 2,
  expireInSeconds: 60,
  onPoison: async ({ db }, { id }, reason) => void (await store.recordFailure(db, id, reason)),
  async handle({ db, config, keyring }, { id }) {
    const mail = await store.findQueued(db, id);
    if (!mail || !config.smtpUrl) return;
    const { createTransport } = await loadMailer();
    const transport = createTransport(config.smtpUrl, {
      from: config.mailFrom ?? `Signalbox <signalbox@${new URL(config.publicUrl).hostname}>`,
    });
    try {
      await transport.sendMail({
        to: mail.to,
        subject: mail.subject,
        text: keyring.open(mail.text, createMailPlace(id)),
        // A second delivery after a crash carries the same id, so that mailboxes can show it once.
        messageId: `<${id}@${new URL(config.publicUrl).hostname}>`,
      });
    } catch (error) {
      await store.recordFailure(db, id, (error as Error).message);
      throw error;
    } finally {
      transport.close();
    }
    await store.markSent(db, id);
  },
});

export const removeOldMails = job({
  name: "mail.tidy",
  schedule: "17 * * * *",
  handle: async ({ db }) => {
    await store.removeOld(db);
  },
});

/** Lists mails that are stored or not yet sent, newest first, without their text. */
export async function listMails(db: Db, limit: number) {
  return (await store.listUnsent(db, limit)).map(({ text: _, ...mail }) => mail);
}

type Sealed = Pick<Platform, "db" | "keyring">;

/** Returns one opened mail, for the operator. The text is null after it was sent. */
export async function readMail({ db, keyring }: Sealed, id: string) {
  const mail = await store.find(db, id);
  return mail && opened(keyring, mail);
}

/** Lists opened mails that are stored or not yet sent, newest first. */
export async function readMails({ db, keyring }: Sealed, limit: number) {
  return (await store.listUnsent(db, limit)).map((mail) => opened(keyring, mail));
}

const opened = (keyring: Keyring, mail: store.MailRow): store.MailRow => ({
  ...mail,
  text: mail.text && keyring.open(mail.text, createMailPlace(mail.id)),
});
