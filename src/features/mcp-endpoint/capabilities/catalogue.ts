import type { Exchange } from "../exchange.ts";
import type { Capability } from "./capability.ts";
import { findOwnCapability, listOwnCapabilities } from "./own.ts";

/** All capabilities that the caller may see, sorted by name. */
export async function listCapabilities(exchange: Exchange): Promise<Capability[]> {
  return listOwnCapabilities(exchange).sort((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
}

/** Finds a capability by its name, also one that is in no list. Its call decides whether it may be executed. */
export async function findByName(exchange: Exchange, name: string): Promise<Capability | undefined> {
  return findOwnCapability(exchange, name);
}
