import { readArguments, UsageError } from "./arguments.ts";
import { exit, type Io } from "./io.ts";

const help = `
Usage: signalbox two-factor reset <email> [--json]

Removes the authenticator app, the passkeys and the backup codes of an account, for a person who lost all of them.
Make sure first, in another way than by mail, that it is that person who asks.

Their sessions end, they are told by mail, and every organization they belong to has an entry in its
audit log. The password, API keys and tokens stay. They then sign in with the password alone.

Options:
  --json   as JSON

Example:
  signalbox two-factor reset ada@example.com
`;

export async function twoFactor(args: string[], io: Io): Promise<number> {
  const { values, words } = readArguments(args, { help, options: { json: { type: "boolean" } }, words: 2 });
  const [action, email] = words;
  if (action !== "reset" || !email)
    throw new UsageError("Give the e-mail address of the person: `signalbox two-factor reset <email>`.");
  const { resetTwoFactor } = await import("../app.ts");
  const done = await resetTwoFactor(await io.platform(), email);
  if (values.json) {
    io.out(JSON.stringify(done));
    return exit.ok;
  }
  io.out(`The second factor of ${done.email} is removed.`);
  io.out(
    `Sessions ended: ${done.sessionsEnded}. Organizations with an audit entry: ${done.organizations.length}.`,
  );
  io.out("They get a mail about it, and sign in with their password alone from now on.");
  return exit.ok;
}
