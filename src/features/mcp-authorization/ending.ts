import type { Ctx } from "../../platform/context.ts";
import { invalidateCallers } from "../../platform/http/index.ts";
import { record } from "../audit/index.ts";
import * as store from "./store.ts";

/**
 * Ends a grant because the client gave a token back, or because a code or refresh token was used twice. The transaction
 * of the request commits it.
 */
export async function endGrantByToken(ctx: Ctx, id: string): Promise<void> {
  const ended = await store.removeByToken(ctx.db, id);
  if (!ended) return;
  const { orgId, ...before } = ended;
  await invalidateCallers(ctx.bus, ctx.db, id);
  await record(
    ctx,
    ctx.db,
    { action: "mcp_client.ended", target: { type: "mcp_client", id }, before },
    orgId,
  );
}
