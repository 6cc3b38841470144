import type { MemberCtx } from "../../../platform/context.ts";
import { Refusal } from "../../../platform/errors.ts";
import { findUsable } from "../access/index.ts";
import type { UsableConnection } from "../model.ts";
import { checkCall } from "../tools/index.ts";

/** Rights that were read longer ago are read again before a call is sent. */
const maxAgeMs = 1_000;

/**
 * Returns the last check of a call. A call can wait for a place, a token or a session, and meanwhile somebody turns the
 * connection off, withdraws a grant or denies the tool. A call that did not wait causes no statement.
 */
export function createLastCheck(
  ctx: MemberCtx,
  connection: UsableConnection,
  call: { tool: string; args: unknown; runId: string | null },
) {
  const started = performance.now();
  return async (hasWaited: boolean): Promise<void> => {
    if (!hasWaited && performance.now() - started < maxAgeMs) return;
    const present = await findUsable(ctx, connection.id);
    if (!present) throw refuseEnded(connection);
    if (JSON.stringify(present.policy) === JSON.stringify(connection.policy)) return;
    await checkCall(ctx, present, call.tool, call.args, { runId: call.runId });
  };
}

const refuseEnded = ({ id, name }: UsableConnection) =>
  new Refusal(404, {
    error: "mcp_connection_not_found",
    message: `While the call waited, ${name} was turned off or deleted, or your access to it ended. The call was not sent.`,
    connectionId: id,
  });
