import type { Client } from "@signalbox/client";
import { cleanText } from "@signalbox/command-line";
import { readArguments, UsageError } from "./arguments.ts";
import { exit, type Io } from "./io.ts";
import { formatCost, formatCount, formatDuration, formatLocalTime } from "./remote/format.ts";
import { openPrompt } from "./remote/prompt.ts";
import {
  connectionHelp,
  connectionOptions,
  createGroup,
  createStatusColumn,
  openSession,
  parseLimit,
  parseWholeNumber,
  type Session,
} from "./remote/session.ts";
import { withFreshSession } from "./remote/sign-in.ts";

const help = `
Usage: signalbox admin <action> [options]

For people who administer the instance (ADMIN_EMAILS). An API key is not enough, so each action asks for your
password, and the code where a second factor is on. Where stdin is a pipe, they are read from it, one a line.

Actions:
  overview                     organizations, people, runs, costs, waiting work, database, workers
  organizations                all organizations, newest first
  suspend <id> --reason TEXT   refuse every request of an organization; its data stays
  restore <id>                 let a suspended organization work again
  limits <id> [name=N …]       the quotas of an organization, or set limits of its own; name= removes one

Options:
  --days N           overview, organizations: how many days the figures cover (30)
  --state STATE      organizations: active, suspended or provisional
  --search TEXT      organizations: the beginning of the name or of the slug
  --limit N          organizations: how many at most (50)
  --reason TEXT      suspend: why; recorded in the audit log of the organization
  every action:${connectionHelp}

Examples:
  signalbox admin overview --days 7
  signalbox admin organizations --state suspended
  signalbox admin suspend org_01m7… --reason "Invoices were not paid"
  signalbox admin limits org_01m7… members=200 workers=
`;

/** Opens a session of the login, asks for the password, and does the work with it. */
async function administer<T>(
  flags: Parameters<typeof openSession>[0],
  io: Io,
  work: (client: Client) => Promise<T>,
): Promise<{ session: Session; reply: T }> {
  const session = openSession(flags, io);
  const prompt = openPrompt(io.input);
  try {
    return { session, reply: await withFreshSession(session, prompt, work) };
  } finally {
    prompt.close();
  }
}

const parseDays = (text: string) => parseWholeNumber("days", text, 1, 400);
const days = { type: "string", default: "30" } as const;

async function overview(args: string[], io: Io): Promise<number> {
  const { values } = readArguments(args, { help, options: { ...connectionOptions, days } });
  const period = parseDays(values.days);
  const { session, reply } = await administer(values, io, ({ admin }) => admin.overview(period));
  const { organizations, members, runs, queue, database, workers, version } = reply;
  const states = Object.entries(workers.states).filter(([, count]) => count > 0);
  const age = queue.ageMs === null ? "" : `, the oldest for ${formatDuration(queue.ageMs)}`;
  const growth = database.growthBytes === null ? "" : `, ${formatMegabytes(database.growthBytes)} more`;
  session.showOne(reply, [
    ["days", `${reply.from} to ${reply.to}`],
    [
      "organizations",
      `${organizations.total} (${organizations.suspended} suspended, ${organizations.provisional} provisional)`,
    ],
    ["members", `${members.total} (${members.deactivated} deactivated)`],
    ["accounts", `${reply.users.total} (${reply.users.activeLastWeek} active in the last week)`],
    [
      "runs",
      `${formatCount(runs.total)} (${runs.failed} failed, ${runs.queued} queued, ${runs.running} running)`,
    ],
    ["cost", formatCost(reply.costMicros)],
    ["waiting work", `${queue.depth}${age}`],
    ["database", `${formatMegabytes(database.bytes)}${growth}`],
    ["workers", `${workers.total}${states.map(([state, count]) => `, ${count} ${state}`).join("")}`],
    ["version", cleanText(`${version.service}, node ${version.node}, ${version.database}`)],
  ]);
  return exit.ok;
}

const formatMegabytes = (bytes: number): string => `${formatCount(Math.round(bytes / 1_000_000))} MB`;

async function organizations(args: string[], io: Io): Promise<number> {
  const options = {
    ...{ ...connectionOptions, days },
    state: { type: "string" },
    search: { type: "string" },
    limit: { type: "string", default: "50" },
  } as const;
  const { values } = readArguments(args, { help, options });
  const filter = {
    limit: parseLimit(values.limit),
    days: parseDays(values.days),
    state: values.state,
    search: values.search,
  };
  const { session, reply } = await administer(values, io, ({ admin }) => admin.organizations(filter));
  session.showList(
    reply,
    [
      { title: "ID", value: ({ id }) => id, whole: true },
      { title: "NAME", value: ({ name }) => name },
      createStatusColumn(session, "STATE", ({ state }) => state),
      { title: "MEMBERS", value: ({ members }) => formatCount(members) },
      { title: "RUNS", value: ({ runs }) => formatCount(runs) },
      { title: "FAILED", value: ({ failures }) => formatCount(failures) },
      { title: "COST", value: ({ costMicros }) => formatCost(costMicros) },
      { title: "STORAGE", value: ({ storageBytes }) => formatMegabytes(storageBytes) },
      { title: "CREATED", value: ({ createdAt }) => formatLocalTime(createdAt), whole: true },
    ],
    "No organization matches.",
  );
  return exit.ok;
}

function readId(words: readonly string[]): string {
  const [id] = words;
  if (!id) throw new UsageError("Name the organization's id.");
  return id;
}

async function suspend(args: string[], io: Io): Promise<number> {
  const options = { ...connectionOptions, reason: { type: "string" } } as const;
  const { values, words } = readArguments(args, { help, options, words: 1 });
  const { reason } = values;
  const id = readId(words);
  if (!reason) throw new UsageError("Say why with --reason. The organization's audit log records it.");
  const { session, reply } = await administer(values, io, ({ admin }) => admin.suspend(id, reason));
  session.showResult(
    reply,
    `${reply.organization.name} is suspended. \`signalbox admin restore ${id}\` restores it.`,
  );
  return exit.ok;
}

async function restore(args: string[], io: Io): Promise<number> {
  const { values, words } = readArguments(args, { help, options: connectionOptions, words: 1 });
  const id = readId(words);
  const { session, reply } = await administer(values, io, ({ admin }) => admin.restore(id));
  session.showResult(reply, `${reply.organization.name} is restored.`);
  return exit.ok;
}

/** Reads `name=N`, or `name=` for a limit that is removed. */
function parseLimits(words: readonly string[]): Map<string, number | undefined> {
  return new Map(
    words.map((word) => {
      const [, name, value] = /^([a-z_]+)=(\d{0,15})$/.exec(word) ?? [];
      if (!name) throw new UsageError(`${cleanText(word)} is no limit. Write it as members=200.`);
      return [name, value ? Number(value) : undefined];
    }),
  );
}

async function limits(args: string[], io: Io): Promise<number> {
  const options = connectionOptions;
  const { values, words } = readArguments(args, { help, options, words: Number.POSITIVE_INFINITY });
  const id = readId(words);
  const changes = parseLimits(words.slice(1));
  const { session, reply } = await administer(values, io, async ({ admin }) => {
    const found = await admin.organization(id);
    if (changes.size === 0) return { quotas: found.quotas };
    const wanted = new Map<string, number | undefined>([
      ...Object.entries(found.organization.limits),
      ...changes,
    ]);
    const kept = [...wanted].filter((entry): entry is [string, number] => entry[1] !== undefined);
    return admin.setLimits(id, Object.fromEntries(kept));
  });
  const rows = { items: reply.quotas, nextCursor: null };
  session.showList(
    rows,
    [
      { title: "QUOTA", value: ({ name }) => name, whole: true },
      { title: "USED", value: ({ used }) => (used === null ? "" : formatCount(used)) },
      { title: "LIMIT", value: ({ limit }) => (limit === null ? "none" : formatCount(limit)) },
      { title: "OF ITS OWN", value: ({ overridden }) => (overridden ? "yes" : "") },
      { title: "COUNTS", value: ({ description }) => description },
    ],
    "There are no quotas.",
  );
  return exit.ok;
}

export const admin = createGroup(help, { overview, organizations, suspend, restore, limits });
