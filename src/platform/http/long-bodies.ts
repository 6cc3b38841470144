import { type Ctx, findRights } from "../context.ts";
import { threadTurns } from "../thread-turns.ts";
import { toNetwork } from "./address.ts";

/** Parsing and checking a body of this length takes about a millisecond. */
const longLength = 64 * 1024;

/** The share of the JavaScript thread that a request uses: the one of its organization, or else of its network. */
export const findShare = ({ caller, address }: Pick<Ctx, "caller" | "address">): string =>
  findRights(caller)?.orgId ?? toNetwork(address);

/**
 * Call it before a body is parsed. A long one waits for its turn, so that requests of others are answered between many
 * long bodies. Without `share`, it uses that of the caller.
 */
export const waitToParse = (
  ctx: Pick<Ctx, "caller" | "address" | "state">,
  { length }: { length: number },
  share?: string,
): Promise<void> | undefined =>
  length > longLength ? ctx.state.get(threadTurns).take(share ?? findShare(ctx)) : undefined;
