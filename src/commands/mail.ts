import { printableLine } from "@signalbox/command-line";
import { OperatorError } from "../platform/errors.ts";
import { listMails, readMail } from "../platform/mail/index.ts";
import { readArguments } from "./arguments.ts";
import { exit, type Io } from "./io.ts";

const help = `
Usage: signalbox mail [<id> | --last] [--limit N] [--json]

Shows the mails of this instance: without SMTP_URL they are kept here instead of being sent, so that the
link that confirms an address or resets a password is never out of reach. Mails are kept for 7 days.

Options:
  <id>        prints that mail, whole
  --last      prints the newest one, whole
  --limit N   lists at most N (50)
  --json      as JSON

Examples:
  signalbox mail
  signalbox mail --last
  signalbox mail --last --json | jq -r .text
`;

export async function mail(args: string[], io: Io): Promise<number> {
  const { values, words } = readArguments(args, {
    help,
    options: {
      last: { type: "boolean" },
      limit: { type: "string", default: "50" },
      json: { type: "boolean" },
    },
    words: 1,
  });
  const limit = values.last ? 1 : Math.max(1, Number.parseInt(values.limit, 10) || 50);
  const database = await io.database();
  if (words[0]) return show(io, await readMail(database, words[0]), values.json);
  const mails = await listMails(database.db, limit);
  if (values.last) return show(io, mails[0] && (await readMail(database, mails[0].id)), values.json);
  if (values.json) io.out(JSON.stringify(mails));
  else if (mails.length === 0) io.out("There are no mails.");
  for (const mail of values.json ? [] : mails) {
    io.out(
      `${mail.id}  ${formatTime(mail.createdAt)}  ${mail.status.padEnd(6)}  ${printableLine(mail.to)}  ${printableLine(mail.subject)}`,
    );
    if (mail.error) io.out(`  not sent yet: ${printableLine(mail.error)}`);
  }
  return exit.ok;
}

type OpenedMail = Awaited<ReturnType<typeof readMail>>;

function show(io: Io, mail: OpenedMail, json: boolean | undefined): number {
  if (!mail) throw new OperatorError("There is no mail with this id. List them with `signalbox mail`.");
  if (json) {
    io.out(JSON.stringify(mail));
    return exit.ok;
  }
  io.out(`To: ${printableLine(mail.to)}`);
  io.out(`Subject: ${printableLine(mail.subject)}`);
  io.out(`Date: ${formatTime(mail.createdAt)}`);
  io.out(`Status: ${mail.status}${mail.error ? ` (${printableLine(mail.error)})` : ""}`);
  io.out("");
  io.out(mail.text ?? "The text was removed when the mail was sent.");
  return exit.ok;
}

const formatTime = (ms: number) => `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")}Z`;
