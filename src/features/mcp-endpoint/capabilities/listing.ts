import type { ListToolsResult, Tool } from "@modelcontextprotocol/server";
import { defineCursor } from "../../../platform/http/index.ts";
import { limits } from "../contract.ts";

/** A position after the tool with this name. */
const nameCursor = defineCursor<string>({
  write: (name) => name,
  read: (text) => (/^[\w.-]{1,200}$/.test(text) ? text : undefined),
});

/** Cuts a page of tools that are sorted by name. A page ends with its number of tools or with its bytes. */
export function cutTools(tools: readonly Tool[], cursor: string | undefined): ListToolsResult {
  const after = nameCursor.read({ cursor }, undefined);
  const rest = after === undefined ? tools : tools.filter(({ name }) => name > after);
  const page: Tool[] = [];
  let bytes = 0;
  for (const tool of rest) {
    bytes += JSON.stringify(tool).length;
    if (page.length > 0 && (page.length === limits.pageTools || bytes > limits.pageBytes)) break;
    page.push(tool);
  }
  const last = page.at(-1);
  return {
    tools: page,
    ...(last && page.length < rest.length ? { nextCursor: nameCursor.write(last.name) } : {}),
  };
}

export const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
