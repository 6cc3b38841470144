import type { Exchange } from "../exchange.ts";
import type { Capability } from "./capability.ts";
import { findConnectedCapability, listConnectedCapabilities } from "./connected.ts";
import { findOwnCapability, listOwnCapabilities } from "./own.ts";

/** All capabilities that the caller may see, sorted by name. */
export async function listCapabilities(exchange: Exchange): Promise<Capability[]> {
  const all = [...listOwnCapabilities(exchange), ...(await listConnectedCapabilities(exchange))];
  return all.sort((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
}

/** Finds a capability by its name, also one that is in no list. Its call decides whether it may be executed. */
export const findByName = async (exchange: Exchange, name: string): Promise<Capability | undefined> =>
  findOwnCapability(exchange, name) ?? (await findConnectedCapability(exchange, name));
