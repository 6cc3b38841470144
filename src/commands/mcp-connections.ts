import type { McpConnection } from "@signalbox/client";
import { cleanText } from "@signalbox/command-line";
import { readArguments, UsageError } from "./arguments.ts";
import { exit, type Io } from "./io.ts";
import { formatLocalTime, paintStatus } from "./remote/format.ts";
import { add, addOptionsHelp } from "./remote/mcp-add.ts";
import { exportConfiguration, importFile, transferOptionsHelp } from "./remote/mcp-transfer.ts";
import {
  connectionHelp,
  connectionOptions,
  createGroup,
  createStatusColumn,
  openAction,
  openSession,
  parseLimit,
  type Session,
} from "./remote/session.ts";

const help = `
Usage: signalbox mcp-connections <action> [options]

Actions:
  list                 MCP connections that you may use; with mcp_connections:manage all of them
  add <url>            discover an MCP server and save a connection to it
  show <id>            one connection: its state, the failing step, and your account
  test <id>            open a session and list the tools; no tool is called
  tools <id>           the tools of a connection
  drift <id>           what the server changed since its tools were approved
  approve <id> [tool…] approve changes that \`drift\` lists: the named tools, or with --all everything
  calls [id]           calls of tools, newest first
  connect <id>         connect your account; prints the address for your browser
  disconnect <id>      end your own credential
  remove <id>          delete a connection; tokens are revoked
  import <file>        save the servers of an MCP client's file, or of a registry's server.json; - reads stdin
  export <client>      the configuration that adds this instance to an MCP client

Options:
${addOptionsHelp}
  --all              approve: everything, with the instructions of the server
  --revision TEXT    approve: the revision that \`drift\` printed; refused when the server changed again since
  --code CODE        connect: the code that the page in the browser shows
  --tool NAME        calls: only of this tool
  --outcome OUTCOME  calls: ok, tool_error, refused, failed, cancelled or timed_out
${transferOptionsHelp}
  --limit N          list, tools, calls: how many at most (50)
  every action:${connectionHelp}

Examples:
  signalbox mcp-connections add https://mcp.example.com/mcp --name Tickets
  signalbox mcp-connections drift mcn_01m7…
  signalbox mcp-connections approve mcn_01m7… create_ticket --revision b5bb9d80…
  signalbox mcp-connections import ~/.cursor/mcp.json --preview
  signalbox mcp-connections export claude-code
`;

const limited = { limit: { type: "string", default: "50" } } as const;
const what = "the connection's id";

async function list(args: string[], io: Io): Promise<number> {
  const { values } = readArguments(args, { help, options: { ...connectionOptions, ...limited } });
  const limit = parseLimit(values.limit);
  const session = openSession(values, io);
  session.showList(
    await session.client.mcpConnections.list({ limit }),
    [
      { title: "ID", value: ({ id }) => id, whole: true },
      { title: "NAME", value: ({ name }) => name },
      { title: "PREFIX", value: ({ slug }) => slug },
      { title: "ADDRESS", value: ({ url }) => url },
      createStatusColumn(session, "STATUS", ({ status }) => status),
      { title: "TOOLS", value: ({ toolCount }) => String(toolCount) },
      { title: "HELD", value: ({ heldTools }) => (heldTools > 0 ? String(heldTools) : "") },
      { title: "CALLS 24 H", value: ({ callsLastDay }) => String(callsLastDay) },
    ],
    "There are no MCP connections that you may use.",
  );
  return exit.ok;
}

async function show(args: string[], io: Io): Promise<number> {
  const { word: id, session } = openAction(args, io, { help, what });
  const reply = await session.client.mcpConnections.read(id);
  const { connection } = reply;
  const { problem, mine, people, policy } = connection;
  session.showOne(reply, [
    ["id", cleanText(connection.id)],
    ["name", cleanText(connection.name)],
    ["prefix", cleanText(connection.slug)],
    ["address", cleanText(connection.url)],
    ["status", paintStatus(session.paint, connection.status, cleanText(connection.status))],
    ["problem", problem && cleanText(`${problem.step}: ${problem.message}`)],
    ["since", problem && formatLocalTime(problem.since)],
    ["credential", cleanText(`${connection.credential}, ${connection.registration}`)],
    ["my account", cleanText([mine.state, mine.account].filter(Boolean).join(", "))],
    ["missing scopes", cleanText(mine.missingScopes.join(" "))],
    ["may be used by", people && describePeople(people)],
    ["tools", `${connection.toolCount}, ${connection.heldTools} held`],
    ["when tools change", cleanText(policy.onDrift)],
    ["protocol", connection.protocolVersion && cleanText(connection.protocolVersion)],
    ["checked", formatLocalTime(connection.checkedAt)],
  ]);
  return exit.ok;
}

const describePeople = ({ granted, connected, needCare }: NonNullable<McpConnection["people"]>) =>
  `${granted ?? "all"} members; ${connected} connected, ${needCare} need care`;

async function test(args: string[], io: Io): Promise<number> {
  const { word: id, session } = openAction(args, io, { help, what });
  const reply = await session.client.mcpConnections.test(id);
  const { ok, steps } = reply.test;
  session.showOne(
    reply,
    steps.map((one) => [one.step, cleanText(`${one.ok ? "ok" : "failed"}  ${one.message}`)]),
  );
  return ok ? exit.ok : exit.failed;
}

async function tools(args: string[], io: Io): Promise<number> {
  const { word: id, values, session } = openAction(args, io, { help, what, options: limited });
  session.showList(
    await session.client.mcpConnections.tools(id, parseLimit(values.limit)),
    [
      { title: "TOOL", value: ({ exposedName }) => exposedName, whole: true },
      createStatusColumn(session, "STATE", ({ state }) => state),
      { title: "CAN BE CALLED", value: ({ executable, why }) => (executable ? "yes" : (why ?? "no")) },
      { title: "CHANGED", value: (tool) => tool.drift.join(", ") },
      { title: "DESCRIPTION", value: ({ title, description }) => title ?? description ?? "" },
    ],
    "The server has listed no tools yet.",
  );
  return exit.ok;
}

async function drift(args: string[], io: Io): Promise<number> {
  const { word: id, session } = openAction(args, io, { help, what });
  const page = await session.client.mcpConnections.drift(id);
  session.showList(
    page,
    [
      { title: "TOOL", value: ({ tool }) => tool ?? "(instructions)", whole: true },
      { title: "CHANGE", value: ({ kinds }) => kinds.join(", ") },
      { title: "SEVERITY", value: ({ severity }) => severity },
      { title: "HELD", value: ({ isHeld }) => (isHeld ? "yes" : "no") },
      { title: "WHERE", value: ({ changes }) => changes.map(({ field }) => field).join(", ") },
      { title: "SEEN", value: ({ seenAt }) => formatLocalTime(seenAt), whole: true },
    ],
    "The server says what was approved.",
  );
  if (page.items.length > 0 && !session.json) io.out(`Revision: ${page.revision}`);
  return exit.ok;
}

async function approve(args: string[], io: Io): Promise<number> {
  const options = {
    ...connectionOptions,
    all: { type: "boolean", default: false },
    revision: { type: "string" },
  } as const;
  const { values, words } = readArguments(args, { help, options, words: 100 });
  const [id, ...names] = words;
  if (!id) throw new UsageError(`Name ${what}.`);
  if (values.all === names.length > 0) throw new UsageError("Name the tools to approve, or use --all.");
  const { revision } = values;
  if (revision === undefined)
    throw new UsageError("Name the --revision that `drift` printed, so that nothing is approved unseen.");
  const session = openSession(values, io);
  const reply = await session.client.mcpConnections.approve(id, {
    revision,
    ...(values.all ? {} : { tools: names }),
  });
  const { approved, remaining } = reply.baseline;
  session.showResult(reply, `Approved: ${approved.join(", ") || "nothing"}. Differences left: ${remaining}.`);
  return exit.ok;
}

async function calls(args: string[], io: Io): Promise<number> {
  const options = {
    ...connectionOptions,
    ...limited,
    tool: { type: "string" },
    outcome: { type: "string" },
  } as const;
  const { values, words } = readArguments(args, { help, options, words: 1 });
  const { tool, outcome } = values;
  const limit = parseLimit(values.limit);
  const session = openSession(values, io);
  session.showList(
    await session.client.mcpConnections.calls({ connectionId: words[0], tool, outcome, limit }),
    [
      { title: "ID", value: ({ id }) => id, whole: true },
      { title: "TIME", value: ({ createdAt }) => formatLocalTime(createdAt), whole: true },
      { title: "CONNECTION", value: ({ connectionName, connectionId }) => connectionName ?? connectionId },
      { title: "TOOL", value: (call) => call.tool },
      createStatusColumn(session, "OUTCOME", (call) => call.outcome),
      { title: "MS", value: ({ ms }) => String(ms) },
      { title: "WHO", value: ({ memberName }) => memberName ?? "" },
      { title: "CLIENT", value: ({ client }) => client ?? "" },
    ],
    "There are no such calls.",
  );
  return exit.ok;
}

async function connect(args: string[], io: Io): Promise<number> {
  const options = { code: { type: "string" } } as const;
  const { word: id, values, session } = openAction(args, io, { help, what, options });
  const { mcpConnections: mcp } = session.client;
  if (values.code !== undefined) {
    await mcp.claim(id, values.code);
    return finish(session, { id }, "Your account is connected.");
  }
  const reply = await mcp.startConnect(id);
  session.showResult(
    reply,
    `Open this address in your browser within ten minutes: ${reply.authorizeUrl} If the page shows a code, run: signalbox mcp-connections connect ${id} --code CODE`,
  );
  return exit.ok;
}

async function disconnect(args: string[], io: Io): Promise<number> {
  const { word: id, session } = openAction(args, io, { help, what });
  await session.client.mcpConnections.disconnect(id);
  return finish(session, { id }, "The account is disconnected.");
}

async function remove(args: string[], io: Io): Promise<number> {
  const { word: id, session } = openAction(args, io, { help, what });
  await session.client.mcpConnections.remove(id);
  return finish(session, { id }, "The connection is deleted. Its tokens are revoked as soon as possible.");
}

function finish(session: Session, whole: unknown, sentence: string): number {
  session.showResult(whole, sentence);
  return exit.ok;
}

export const mcpConnections = createGroup(help, {
  ...{ list, show, test, tools, drift, approve, calls, connect, disconnect, remove },
  add: (args, io) => add(args, io, help),
  import: (args, io) => importFile(args, io, help),
  export: (args, io) => exportConfiguration(args, io, help),
});
