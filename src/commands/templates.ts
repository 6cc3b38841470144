import { RefusedError } from "@signalbox/client";
import { cleanText } from "@signalbox/command-line";
import { readArguments, UsageError } from "./arguments.ts";
import { exit, type Io } from "./io.ts";
import { formatLocalTime } from "./remote/format.ts";
import {
  cleanLines,
  connectionHelp,
  connectionOptions,
  createGroup,
  openAction,
  openSession,
  parseLimit,
  type Session,
} from "./remote/session.ts";

const help = `
Usage: signalbox templates <action> [options]

Actions:
  list                 the organization's templates
  search <words>       templates with all these words in name, slug, description or tags
  show <id or slug>    one template, with its text

Options:
  --tag TAG          list, search: only with this tag
  --limit N          list, search: how many at most (50)
  every action:${connectionHelp}

Examples:
  signalbox templates list --tag review
  signalbox templates search release notes
  signalbox templates show weekly-report --json | jq -r .template.body
`;

const options = {
  ...connectionOptions,
  tag: { type: "string" },
  limit: { type: "string", default: "50" },
} as const;

async function list(args: string[], io: Io): Promise<number> {
  const { values } = readArguments(args, { help, options });
  const limit = parseLimit(values.limit);
  return showMatches(openSession(values, io), { tag: values.tag, limit });
}

async function search(args: string[], io: Io): Promise<number> {
  const { values, words } = readArguments(args, { help, options, words: Number.POSITIVE_INFINITY });
  if (words.length === 0) throw new UsageError("Give the words to search for.");
  const limit = parseLimit(values.limit);
  return showMatches(openSession(values, io), { q: words.join(" "), tag: values.tag, limit });
}

async function showMatches(
  session: Session,
  filter: { q?: string; tag: string | undefined; limit: number },
): Promise<number> {
  session.showList(
    await session.client.templates.list(filter),
    [
      { title: "ID", value: ({ id }) => id, whole: true },
      { title: "SLUG", value: ({ slug }) => slug },
      { title: "NAME", value: ({ name }) => name },
      { title: "TAGS", value: ({ tags }) => tags.join(", ") },
      { title: "FROM", value: ({ source }) => source?.path ?? "by hand" },
      { title: "CHANGED", value: ({ updatedAt }) => formatLocalTime(updatedAt), whole: true },
    ],
    filter.q === undefined && filter.tag === undefined ? "There are no templates." : "No template matches.",
  );
  return exit.ok;
}

async function show(args: string[], io: Io): Promise<number> {
  const { word: wanted, session } = openAction(args, io, { help, what: "the template's id or slug" });
  const reply = await read(session, wanted);
  const { template } = reply;
  const { source } = template;
  session.showOne(reply, [
    ["id", cleanText(template.id)],
    ["slug", cleanText(template.slug)],
    ["name", cleanText(template.name)],
    ["description", cleanText(template.description)],
    ["tags", cleanText(template.tags.join(", "))],
    [
      "from",
      cleanText(
        source ? `${source.connectorName}: ${source.path} at ${source.commit.slice(0, 12)}` : "made by hand",
      ),
    ],
    ["version", `${template.version}, of ${formatLocalTime(template.updatedAt)}`],
  ]);
  if (!session.json) io.out(`\n${cleanLines(template.body)}`);
  return exit.ok;
}

async function read({ client }: Session, wanted: string) {
  const [found] = /^[a-z0-9-]+$/.test(wanted)
    ? (await client.templates.list({ slug: wanted, limit: 1 })).items
    : [];
  if (!found && !wanted.startsWith("tpl_")) throw new RefusedError(404, { error: "template_not_found" });
  return client.templates.read(found?.id ?? wanted);
}

export const templates = createGroup(help, { list, search, show });
