import { cleanText } from "@signalbox/command-line";
import { readArguments } from "./arguments.ts";
import { exit, type Io } from "./io.ts";
import { connectCommand, connectionHelp, connectionOptions, openSession } from "./remote/session.ts";

const help = `
Usage: signalbox whoami [options]

Says who you are signed in as, where, and what that key may do.

Options:${connectionHelp}

Examples:
  signalbox whoami
  signalbox whoami --json | jq -r .user.email
`;

export const whoami = connectCommand(async (args: string[], io: Io): Promise<number> => {
  const { values } = readArguments(args, { help, options: connectionOptions });
  const session = openSession(values, io);
  const me = await session.client.me();
  const here = me.organizations.find(({ organizationId }) => organizationId === me.activeOrganizationId);
  session.showOne(me, [
    ["person", cleanText(`${me.user.name} <${me.user.email}>`)],
    ["organization", here ? cleanText(`${here.organizationName} (${here.organizationId})`) : null],
    ["role", here ? cleanText(here.role) : null],
    ["server", session.login.url],
    ["key from", session.login.source],
    ["permissions", cleanText(me.permissions.join(", "))],
  ]);
  return exit.ok;
});
