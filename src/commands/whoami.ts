import { readArguments } from "./arguments.ts";
import { exit, type Io } from "./io.ts";
import { connectionHelp, connectionOptions, openSession, withServer } from "./remote/session.ts";
import { clean } from "./text.ts";

const help = `
Usage: signalbox whoami [options]

Says who you are signed in as, where, and what that key may do.

Options:${connectionHelp}

Examples:
  signalbox whoami
  signalbox whoami --json | jq -r .user.email
`;

export const whoami = withServer(async (args: string[], io: Io): Promise<number> => {
  const { values } = readArguments(args, { help, options: connectionOptions });
  const session = openSession(values, io);
  const me = await session.client.me();
  const here = me.organizations.find(({ organizationId }) => organizationId === me.activeOrganizationId);
  session.showOne(me, [
    ["person", clean(`${me.user.name} <${me.user.email}>`)],
    ["organization", here ? clean(`${here.organizationName} (${here.organizationId})`) : null],
    ["role", here ? clean(here.role) : null],
    ["server", session.login.url],
    ["key from", session.login.source],
    ["permissions", clean(me.permissions.join(", "))],
  ]);
  return exit.ok;
});
