import { type Db, sql } from "../db/index.ts";

export interface MailRow {
  id: string;
  to: string;
  subject: string;
  /** Sealed. Removed after the mail was sent. */
  text: string | null;
  status: "queued" | "kept" | "sent";
  error: string | null;
  createdAt: number;
}

export const insert = (db: Db, mail: Pick<MailRow, "id" | "to" | "subject" | "status"> & { text: string }) =>
  db.run(sql`insert into mails (id, recipient, subject, text, status)
    values (${mail.id}, ${mail.to}, ${mail.subject}, ${mail.text}, ${mail.status})`);

export const findQueued = (db: Db, id: string) =>
  db.row<{ to: string; subject: string; text: string }>(sql`
    select recipient as "to", subject, text from mails where id = ${id} and status = 'queued'`);

export const markSent = (db: Db, id: string) =>
  db.run(sql`update mails set status = 'sent', text = null, error = null where id = ${id}`);

export const recordFailure = (db: Db, id: string, error: string) =>
  db.run(sql`update mails set error = ${error.slice(0, 500)} where id = ${id}`);

const columns = sql`id, recipient as "to", subject, text, status, error, created_at as "createdAt"`;

/** Lists mails that are stored or not yet sent, newest first. */
export const listUnsent = (db: Db, limit: number) =>
  db.rows<MailRow>(sql`
    select ${columns} from mails where status in ('kept', 'queued') order by id desc limit ${limit}`);

export const find = (db: Db, id: string) =>
  db.row<MailRow>(sql`select ${columns} from mails where id = ${id}`);

export const removeOld = (db: Db) =>
  db.run(sql`delete from mails where created_at < now() - interval '7 days'`);
