import type { Ctx, MemberId, OrgId, UserId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { forgetCallers } from "../../platform/http/index.ts";
import { removeKeysOfUser } from "../api-keys/index.ts";
import { record } from "../audit/index.ts";
import { endRunCredentialsOfUser, removeRunnerTokensOfUser } from "../automations/index.ts";
import { removeMcpTokensOfUser } from "../mcp-tokens/index.ts";

/** Each kind of credential that a person can make for programs, with the function that ends all of them. */
const kinds = [
  // Runner tokens come first: deleting a key also deletes the tokens made with it, and they would not be counted.
  ["runnerTokens", removeRunnerTokensOfUser],
  ["apiKeys", removeKeysOfUser],
  ["mcpTokens", removeMcpTokensOfUser],
] as const;

type Ended = Record<(typeof kinds)[number][0], number>;
const none = (): Ended => ({ runnerTokens: 0, apiKeys: 0, mcpTokens: 0 });

/**
 * Ends the API keys, MCP tokens, runner tokens and run credentials of a person in every organization. Each
 * organization in which a key or token ended gets an audit entry.
 */
export async function endKeysAndTokens(
  ctx: Ctx,
  tx: Db,
  userId: UserId,
  reason: "password_reset" | "email_verified" | "account_disowned",
): Promise<Ended> {
  const total = none();
  const byMember = new Map<MemberId, { orgId: OrgId; ended: Ended }>();
  for (const [kind, remove] of kinds) {
    for (const { orgId, memberId } of await remove(tx, userId)) {
      const entry = byMember.get(memberId) ?? { orgId, ended: none() };
      byMember.set(memberId, entry);
      entry.ended[kind]++;
      total[kind]++;
    }
  }
  await endRunCredentialsOfUser(tx, userId);
  // Each entry locks its organization's chain. A fixed order avoids deadlocks.
  const members = [...byMember].sort(([, a], [, b]) => (a.orgId < b.orgId ? -1 : 1));
  for (const [id, { orgId, ended }] of members) {
    const after = { reason, ...ended };
    await record(
      ctx,
      tx,
      { action: "member.credentials_ended", target: { type: "member", id }, after },
      orgId,
    );
  }
  await forgetCallers(ctx.bus, tx, userId);
  return total;
}
