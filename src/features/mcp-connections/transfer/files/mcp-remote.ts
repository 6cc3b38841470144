import { isObject, readText } from "./server.ts";

/** A remote server that a local program forwards to. */
interface Forwarded {
  url: string;
  headers: [name: string, value: string][];
}

const launchers = /(?:^|[\\/])(?:npx|bunx|pnpx|npm|pnpm|yarn|bun|cmd|node|deno)(?:\.cmd|\.exe)?$/i;
const program = /(?:^|[\\/])mcp-remote(?:@[\w.^~-]+)?(?:\.cmd|\.js)?$/i;

/** The command and its arguments, in the forms of Claude, Zed (an object) and OpenCode (an array). */
export function readCommand(entry: Record<string, unknown>): string[] | undefined {
  const { command, args } = entry;
  if (Array.isArray(command)) return command.map(String);
  if (isObject(command)) {
    const path = readText(command.path);
    return path === undefined ? undefined : [path, ...readList(command.args)];
  }
  const text = readText(command);
  return text === undefined ? undefined : [text, ...readList(args)];
}

const readList = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/**
 * Recognizes `npx mcp-remote <url> [--header "Name: value"]`, which local clients use to reach a remote server. Returns
 * undefined for any other command.
 */
export function readMcpRemote(command: readonly string[]): Forwarded | undefined {
  const at = command.findIndex((word) => program.test(word));
  if (at < 0 || (at > 0 && !launchers.test(command[0]!))) return undefined;
  const rest = command.slice(at + 1);
  const url = rest.find((word) => /^https?:\/\//i.test(word));
  if (url === undefined) return undefined;
  const headers: Forwarded["headers"] = [];
  for (const [index, word] of rest.entries()) {
    const text = word === "--header" ? rest[index + 1] : /^--header=(.*)$/s.exec(word)?.[1];
    const colon = text?.indexOf(":") ?? -1;
    if (text !== undefined && colon > 0) {
      headers.push([text.slice(0, colon).trim(), text.slice(colon + 1).trim()]);
    }
  }
  return { url, headers };
}
