import type { Automation, Body, Client } from "@signalbox/client";
import { cleanText } from "@signalbox/command-line";
import { OperatorError } from "../platform/errors.ts";
import { readArguments, UsageError } from "./arguments.ts";
import { exit, type Io } from "./io.ts";
import { buildBody, buildChanges, changeOptions, createOptions } from "./remote/automation-body.ts";
import { formatLocalTime, formatSchedule, paintStatus } from "./remote/format.ts";
import { readInput } from "./remote/input.ts";
import { findConnectionIds, findTemplateIds } from "./remote/resources.ts";
import {
  cleanLines,
  connectionHelp,
  connectionOptions,
  createGroup,
  createStatusColumn,
  openAction,
  openSession,
  parseLimit,
  type Session,
} from "./remote/session.ts";
import { watch } from "./remote/watch.ts";

const help = `
Usage: signalbox automations <action> [options]

Actions:
  list                         your automations; everyone's with automations:manage
  show <id>                    one automation, with its instructions
  create [options]             make one, from options or from a JSON file
  update <id> [options]        change the fields that are given as options
  run <id> [--watch]           run it now
  activate <id>                turn its schedule on
  deactivate <id>              turn its schedule off
  archive <id>                 archive it; this cannot be undone

Options:
  --status STATUS    list: active, inactive or archived (all but archived)
  --limit N          list: how many at most (50)
  --watch            run: follow the run to its end, see \`signalbox runs --help\`
  create, update:
  --file FILE        create: the request body of POST /v1/automations as JSON; - reads stdin
  --name NAME        or from options: its name
  --instructions T   what the runner is given; --instructions-file FILE reads them (-: stdin)
  --daily HH:MM      every day. Without a schedule it runs by hand only
  --weekly D,D@HH:MM on weekdays, such as mon,thu@09:00
  --cron EXPRESSION  minute, hour, day of month, month, day of week
  --at TIME          once, at a local time such as 2026-03-08T09:30
  --timezone ZONE    an IANA name (this machine's)
  --model P/M        provider and model
  --max-runtime S    seconds (3600)
  --templates A,B    templates whose files its runs get, by id or slug; none: no template
  --connections A,B  connections whose tokens its runs may get, by id or PROVIDER[/ACCOUNT]; none: no connection
  --inactive         create: create it with its schedule off
  every action:${connectionHelp}

Examples:
  signalbox automations list
  signalbox automations create --name Triage --instructions "Look at new issues." --daily 09:00
  signalbox automations create --file triage.json
  signalbox automations update aut_01m7… --templates code-review --connections github
  signalbox automations run aut_01m7… --watch
`;

const what = "the automation's id";

async function list(args: string[], io: Io): Promise<number> {
  const options = {
    ...connectionOptions,
    status: { type: "string" },
    limit: { type: "string", default: "50" },
  } as const;
  const { values } = readArguments(args, { help, options });
  const { status } = values;
  if (status !== undefined && !["active", "inactive", "archived"].includes(status)) {
    throw new UsageError("--status must be active, inactive or archived.");
  }
  const limit = parseLimit(values.limit);
  const session = openSession(values, io);
  const page = await session.client.automations.list({ status, limit });
  session.showList(
    page,
    [
      { title: "ID", value: ({ id }) => id, whole: true },
      { title: "NAME", value: ({ name }) => name },
      createStatusColumn(session, "STATUS", ({ status }) => status),
      { title: "SCHEDULE", value: (one) => formatSchedule(one.schedule) },
      { title: "NEXT RUN", value: ({ nextRunAt }) => formatLocalTime(nextRunAt), whole: true },
    ],
    "There are no automations. Create one with `signalbox automations create`.",
  );
  return exit.ok;
}

async function show(args: string[], io: Io): Promise<number> {
  const { word: id, session } = openAction(args, io, { help, what });
  const reply = await session.client.automations.read(id);
  describe(session, reply);
  return exit.ok;
}

function describe(session: Session, reply: { automation: Automation }): void {
  const { automation } = reply;
  const { model } = automation;
  session.showOne(reply, [
    ["id", cleanText(automation.id)],
    ["name", cleanText(automation.name)],
    ["status", paintStatus(session.paint, automation.status, cleanText(automation.status))],
    ["schedule", cleanText(formatSchedule(automation.schedule))],
    ["next run", formatLocalTime(automation.nextRunAt)],
    ["model", model && cleanText(`${model.providerId}/${model.modelId}`)],
    ["longest run", `${automation.maxRuntimeSeconds} s`],
    ["templates", cleanText(automation.templates.map(nameTemplate).join(", "))],
    ["connections", cleanText(automation.connections.map(nameConnection).join(", "))],
    ["owner", cleanText(automation.memberId ?? "nobody: the owner has left")],
    ["revision", `${automation.revision}, of ${formatLocalTime(automation.updatedAt)}`],
  ]);
  if (!session.json) session.io.out(`\n${cleanLines(automation.instructions)}`);
}

const nameTemplate = ({ id, slug, name }: Automation["templates"][number]) =>
  name === null ? `${id} (deleted)` : `${name} (${slug})`;

const nameConnection = ({ id, providerId, account }: Automation["connections"][number]) =>
  providerId === null ? `${id} (ended)` : `${providerId}/${account}`;

/** Finds the ids of the templates and connections that the options name. */
async function findResources(
  client: Client,
  { templates, connections }: { templates?: string | undefined; connections?: string | undefined },
) {
  return {
    ...(templates === undefined ? {} : { templateIds: await findTemplateIds(client, templates) }),
    ...(connections === undefined ? {} : { connectionIds: await findConnectionIds(client, connections) }),
  };
}

async function create(args: string[], io: Io): Promise<number> {
  const options = { ...connectionOptions, ...createOptions, file: { type: "string" } } as const;
  const { values } = readArguments(args, { help, options });
  const body = values.file === undefined ? buildBody(values) : parseBody(readInput(values.file), values);
  const session = openSession(values, io);
  const { client } = session;
  const reply = await client.automations.create({ ...body, ...(await findResources(client, values)) });
  const { id, name, nextRunAt } = reply.automation;
  const next =
    nextRunAt === null
      ? `Run it with \`signalbox automations run ${id}\`.`
      : `Its next run is at ${formatLocalTime(nextRunAt)}.`;
  session.showResult(reply, `Created ${id}: ${name}. ${next}`);
  return exit.ok;
}

async function update(args: string[], io: Io): Promise<number> {
  const { values, word: id, session } = openAction(args, io, { help, what, options: changeOptions });
  if (Object.keys(changeOptions).every((name) => values[name as keyof typeof changeOptions] === undefined))
    throw new UsageError("Name a field to change, such as --name NAME.");
  const body = buildChanges(values);
  const { client } = session;
  const reply = await client.automations.change(id, { ...body, ...(await findResources(client, values)) });
  const { name, revision } = reply.automation;
  session.showResult(reply, `Changed ${id}: ${name}, now at revision ${revision}.`);
  return exit.ok;
}

/** Reads a whole automation from a file. The server validates it. */
function parseBody(text: string, values: Record<string, unknown>): Body<"POST /v1/automations"> {
  const other = Object.keys(createOptions).find(
    (name) => values[name] !== undefined && values[name] !== false,
  );
  if (other)
    throw new UsageError(`--file describes the whole automation, so --${other} cannot be given with it.`);
  try {
    return JSON.parse(text) as Body<"POST /v1/automations">;
  } catch (error) {
    throw new OperatorError(`The file is not JSON: ${cleanText((error as Error).message)}.`);
  }
}

async function run(args: string[], io: Io): Promise<number> {
  const options = { watch: { type: "boolean", default: false } } as const;
  const { values, word: id, session } = openAction(args, io, { help, what, options });
  const reply = await session.client.automations.run(id);
  if (values.watch) return watch(session, reply.run.id);
  session.showResult(
    reply,
    `Queued ${reply.run.id}. Follow it with \`signalbox runs watch ${reply.run.id}\`.`,
  );
  return exit.ok;
}

const change =
  (action: "activate" | "deactivate" | "archive", done: string) => async (args: string[], io: Io) => {
    const { word: id, session } = openAction(args, io, { help, what });
    const reply = await session.client.automations[action](id);
    const { automation } = reply;
    const next =
      automation.nextRunAt === null ? "" : ` Its next run is at ${formatLocalTime(automation.nextRunAt)}.`;
    session.showResult(reply, `${automation.id} (${automation.name}) ${done}.${next}`);
    return exit.ok;
  };

export const automations = createGroup(help, {
  list,
  show,
  create,
  update,
  run,
  activate: change("activate", "is active"),
  deactivate: change("deactivate", "is inactive"),
  archive: change("archive", "is archived"),
});
