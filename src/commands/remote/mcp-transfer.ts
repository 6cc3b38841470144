import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import type { Body, McpImportChoice, McpImportItem, Reply } from "@signalbox/client";
import { cleanText } from "@signalbox/command-line";
import { UsageError } from "../arguments.ts";
import { exit, type Io } from "../io.ts";
import { openPrompt } from "./prompt.ts";
import { cleanLines, openAction, type Session } from "./session.ts";

type Client = Reply<"GET /v1/mcp-connections/export">["configuration"]["client"];

export const transferOptionsHelp = `  --preview          import: only show what the file has
  --only NAME        import: only this server; can be repeated
  --token            export: with a token instead of the sign-in in the browser`;

interface ImportResult {
  name: string;
  outcome: "saved" | "exists" | "choice_required" | "refused";
  connectionId: string | null;
  error: { error: string; message?: string; details?: { message: string }[] } | null;
}

export async function importFile(args: string[], io: Io, help: string): Promise<number> {
  const options = {
    preview: { type: "boolean", default: false },
    shared: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
  } as const;
  const { word: path, values, session } = openAction(args, io, { help, what: "the file", options });
  const text = path === "-" ? await readAll(io.input ?? process.stdin) : await readText(path);
  const preview = await session.client.mcpConnections.previewImport({ text });
  const only = values.only;
  const unknown = only?.find((key) => !preview.items.some((item) => item.key === key));
  if (unknown !== undefined) throw new UsageError(`The file has no server "${cleanText(unknown)}".`);
  const chosen = only ? preview.items.filter(({ key }) => only.includes(key)) : preview.items;
  if (values.preview) {
    showPreview(session, { ...preview, items: chosen });
    return exit.ok;
  }
  const usable = chosen.filter(({ problem }) => problem === null);
  for (const { name, problem } of chosen)
    if (problem) io.err(cleanText(`${name}: not saved. ${problem.message}`));
  if (usable.length === 0) return exit.failed;
  // Values that the file refers to are environment variables, so they may be set here too.
  const items = await addValues(usable, path === "-" ? undefined : io, io.environment);
  const credential = values.shared ? ("shared" as const) : ("per_member" as const);
  return runImport(session, { text, items: items.map((item) => ({ ...item, credential })) });
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`The file ${path} cannot be read${code ? ` (${code})` : ""}.`);
  }
}

function showPreview(session: Session, preview: { format: string; items: McpImportItem[] }) {
  session.showList(
    { ...preview, nextCursor: null },
    [
      { title: "NAME", value: ({ key }) => key, whole: true },
      { title: "ADDRESS", value: ({ url }) => url ?? "" },
      { title: "HEADERS", value: ({ headers }) => headers.join(", ") },
      { title: "MISSING VALUES", value: ({ missing }) => missing.map(({ name }) => name).join(", ") },
      { title: "NOTE", value: describeItem },
    ],
    "The file has no servers.",
  );
}

const describeItem = ({ problem, existing, notes }: McpImportItem): string =>
  problem?.message ?? (existing ? `exists as ${existing.id}` : notes.join(" "));

/** Takes missing values from the environment, and asks for those that must be given. */
async function addValues(
  items: McpImportItem[],
  io: Pick<Io, "input"> | undefined,
  environment: Io["environment"],
): Promise<McpImportChoice[]> {
  const prompt = openPrompt(io?.input);
  try {
    const choices: McpImportChoice[] = [];
    for (const { key, name: server, missing, existing } of items) {
      const values: Record<string, string> = {};
      for (const { name, secret, optional, description } of existing ? [] : missing) {
        const known = environment[name];
        if (known) values[name] = known;
        else if (!optional && io) {
          const hint = description ? ` (${cleanText(description)})` : "";
          const question = `${cleanText(server)}: value of ${cleanText(name)}${hint}: `;
          values[name] = await prompt.ask(question, { hidden: secret });
        }
      }
      choices.push({ key, values });
    }
    return choices;
  } finally {
    prompt.close();
  }
}

async function runImport(
  session: Session,
  body: Body<"POST /v1/mcp-connections/import/preview"> & { items: McpImportChoice[] },
) {
  const results: ImportResult[] = [];
  for await (const update of session.client.stream("POST /v1/mcp-connections/import", { body })) {
    if (update.type !== "message" || update.message.event !== "result") continue;
    // Messages of a stream have the form that its route describes.
    const result = JSON.parse(update.message.data) as ImportResult;
    results.push(result);
    if (!session.json) session.io.out(cleanText(describeResult(result)));
  }
  if (session.json) session.io.out(JSON.stringify({ results }, null, 2));
  const isDone = ({ outcome }: ImportResult) => outcome === "saved" || outcome === "exists";
  return results.length === body.items.length && results.every(isDone) ? exit.ok : exit.failed;
}

function describeResult({ name, outcome, connectionId, error }: ImportResult): string {
  if (outcome === "saved") return `${name}: saved as ${connectionId}.`;
  if (outcome === "exists") return `${name}: exists as ${connectionId}.`;
  const reason = error?.message ?? error?.details?.map(({ message }) => message).join(" ") ?? error?.error;
  return `${name}: not saved. ${reason ?? ""}`;
}

export async function exportConfiguration(args: string[], io: Io, help: string): Promise<number> {
  const options = { token: { type: "boolean", default: false } } as const;
  const { word, values, session } = openAction(args, io, { help, what: "the client", options });
  const reply = await session.client.mcpConnections.exportConfiguration({
    // The server checks the name, and lists the known ones.
    client: word as Client,
    credential: values.token ? "token" : "oauth",
  });
  const { title, locations, content, command, note, checkedOn } = reply.configuration;
  if (session.json) {
    io.out(JSON.stringify(reply, null, 2));
    return exit.ok;
  }
  // The content alone goes to stdout, so that it can be redirected into a file.
  io.out(cleanLines(content).trimEnd());
  for (const { system, path } of locations) io.err(cleanText(`${title}, ${system}: ${path}`));
  if (command) io.err(cleanText(`Or run: ${command}`));
  if (note) io.err(cleanText(note));
  if (checkedOn === null) io.err("This form could not be checked against the client's documentation.");
  return exit.ok;
}
