import type { ListToolsResult } from "@modelcontextprotocol/server";
import { limits } from "../contract.ts";
import { type CallOptions, type Exchange, hasScope } from "../exchange.ts";
import { toErrorResult } from "../results.ts";
import type { Capability } from "./capability.ts";
import { findByName, listCapabilities } from "./catalogue.ts";
import { createExecute, executeCapability } from "./execute.ts";
import { byName, cutTools } from "./listing.ts";
import { createSearch } from "./search.ts";

/** The tools that find and call all others. They are always listed. */
const createMetaTools = (exchange: Exchange) => [createSearch(exchange), createExecute(exchange)];

/** A page of the tools that the caller sees. */
export async function listPage(exchange: Exchange, cursor: string | undefined): Promise<ListToolsResult> {
  const capabilities = await listCapabilities(exchange);
  const connected = capabilities.filter(({ connection }) => connection !== null);
  const listsAll =
    (exchange.listing ?? (connected.length <= limits.listedTools ? "all" : "search")) === "all";
  const listed = [...capabilities.filter(({ connection }) => listsAll || connection === null)];
  const meta = createMetaTools(exchange).filter(({ isReadOnly }) => hasScope(exchange, isReadOnly));
  return cutTools([...meta, ...listed].map(({ tool }) => tool).sort(byName), cursor);
}

/** Calls a tool. Undefined when there is none with this name for the caller. */
export async function callTool(exchange: Exchange, name: string, args: unknown, options: CallOptions) {
  const meta = createMetaTools(exchange).find(({ tool }) => tool.name === name);
  const found = meta ?? (await findByName(exchange, name));
  if (!found) return undefined;
  const result = meta
    ? await callMeta(exchange, meta, args, options)
    : await executeCapability(exchange, found, args, options);
  return { result, outputSchema: found.tool.outputSchema };
}

/** The tool that it executes is checked and recorded by itself. */
async function callMeta(exchange: Exchange, { call }: Capability, args: unknown, options: CallOptions) {
  try {
    return await call(args, options);
  } catch (error) {
    return toErrorResult(exchange.ctx, error);
  }
}
