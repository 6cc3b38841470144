import { type Client, type OauthConnection, RefusedError } from "@signalbox/client";
import { cleanText } from "@signalbox/command-line";
import { readArguments } from "./arguments.ts";
import { exit, type Io } from "./io.ts";
import { formatLocalTime, paintStatus } from "./remote/format.ts";
import {
  connectionHelp,
  connectionOptions,
  createGroup,
  createStatusColumn,
  openAction,
  openSession,
  parseLimit,
} from "./remote/session.ts";

const help = `
Usage: signalbox connections <action> [options]

Actions:
  list         accounts connected at outside providers: yours and shared ones; everyone's with connections:manage
  show <id>    one connection: how it is, what it may do, who may use it

Options:
  --provider ID      list: only of this provider
  --ended            list: those that have ended, for 90 days
  --limit N          list: how many at most (50)
  every action:${connectionHelp}

Examples:
  signalbox connections list
  signalbox connections list --provider github --json | jq '.items[].health'
  signalbox connections show ocn_01m7…
`;

const describeAccount = ({ outsideAccount, account }: OauthConnection) =>
  outsideAccount ? (outsideAccount.name ?? outsideAccount.subject) : account;

async function list(args: string[], io: Io): Promise<number> {
  const options = {
    ...connectionOptions,
    provider: { type: "string" },
    ended: { type: "boolean", default: false },
    limit: { type: "string", default: "50" },
  } as const;
  const { values } = readArguments(args, { help, options });
  const limit = parseLimit(values.limit);
  const session = openSession(values, io);
  const page = await session.client.connections.list({
    providerId: values.provider,
    ended: values.ended ? "true" : undefined,
    limit,
  });
  const people =
    session.json || page.items.length === 0
      ? new Map<string, string>()
      : await findMemberNames(session.client);
  session.showList(
    page,
    [
      { title: "ID", value: ({ id }) => id, whole: true },
      { title: "PROVIDER", value: ({ providerId }) => providerId },
      { title: "ACCOUNT", value: describeAccount },
      createStatusColumn(session, "HEALTH", ({ health }) => health.status),
      { title: "WHOSE", value: (one) => describeOwner(one, people) },
      { title: "LAST USED", value: ({ lastUsedAt }) => formatLocalTime(lastUsedAt), whole: true },
    ],
    values.ended ? "No connection has ended." : "There are no connections.",
  );
  return exit.ok;
}

const describeOwner = ({ shared, memberId }: OauthConnection, people: Map<string, string>): string =>
  shared ? "shared" : memberId === null ? "a former member" : (people.get(memberId) ?? memberId);

async function show(args: string[], io: Io): Promise<number> {
  const { word: id, session } = openAction(args, io, { help, what: "the connection's id" });
  const { client } = session;
  const reply = await client.connections.read(id);
  const { connection } = reply;
  const { health, scopes, revocation } = connection;
  const people = session.json ? new Map<string, string>() : await findMemberNames(client);
  session.showOne(reply, [
    ["id", cleanText(connection.id)],
    ["provider", cleanText(connection.providerId)],
    ["account", cleanText(describeAccount(connection))],
    ["label", cleanText(connection.account)],
    ["health", paintStatus(session.paint, health.status, cleanText(health.status))],
    ["", health.message && cleanText(health.message)],
    ["whose", cleanText(describeOwner(connection, people))],
    ["used by", session.json ? null : cleanText(await describeUsers(client, connection, people))],
    ["scopes", cleanText(scopes.granted.join(" "))],
    ["not granted", cleanText(scopes.missing.join(" "))],
    ["token expires", formatLocalTime(connection.tokenExpiresAt)],
    ["connected", formatLocalTime(connection.connectedAt)],
    ["last used", formatLocalTime(connection.lastUsedAt)],
    ["ended", formatLocalTime(connection.endedAt)],
    ["revocation", revocation && cleanText(revocation.message)],
  ]);
  return exit.ok;
}

/** Names who may use a shared connection, if the caller is allowed to know. */
async function describeUsers(
  client: Client,
  connection: OauthConnection,
  people: Map<string, string>,
): Promise<string> {
  if (!connection.shared) return describeOwner(connection, people);
  const reply = await unlessForbidden(client.connections.grants(connection.id));
  if (!reply) return "those whom an owner or admin chose";
  const { everyone, memberIds, teamIds } = reply.grants;
  if (everyone) return "every member";
  const teams =
    teamIds.length > 0 ? ((await unlessForbidden(client.teams.list({ limit: 1000 })))?.items ?? []) : [];
  const names = [
    ...memberIds.map((id) => people.get(id) ?? id),
    ...teamIds.map((id) => `team ${teams.find((team) => team.id === id)?.name ?? id}`),
  ];
  return names.length > 0 ? names.join(", ") : "nobody yet";
}

async function findMemberNames(client: Client): Promise<Map<string, string>> {
  const page = await unlessForbidden(client.members.list({ limit: 1000 }));
  return new Map(page?.items.map(({ id, name }) => [id, name]));
}

/** Undefined when the caller may not read it. Names are optional in the output. */
async function unlessForbidden<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RefusedError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}

export const connections = createGroup(help, { list, show });
