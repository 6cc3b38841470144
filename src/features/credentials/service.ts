import type { Ctx, MemberId, OrgId, PersonCtx, UserId } from "../../platform/context.ts";
import { credentialTypes } from "../../platform/credential-types.ts";
import type { Db } from "../../platform/db/index.ts";
import { unauthorized } from "../../platform/errors.ts";
import {
  type Access,
  type CredentialEnding,
  checkAccess,
  invalidateCallers,
  member,
} from "../../platform/http/index.ts";
import { record } from "../audit/index.ts";
import * as store from "./store.ts";

/** How many credentials ended, by the name of their kind: `{ apiKeys: 2, mcpTokens: 0, … }`. */
type EndedCounts = Record<string, number>;

/** Lists the kinds in the order in which they are ended. */
function listEndings({ state }: Pick<Ctx, "state">): CredentialEnding[] {
  const { declared } = state.get(credentialTypes);
  if (!declared) throw new Error("The rooms have not declared their credentials yet.");
  const endings = declared.flatMap(({ ending }) => ending ?? []);
  return endings.sort((a, b) => Number(b.isDependent ?? false) - Number(a.isDependent ?? false));
}

/**
 * Ends the keys and tokens of a person in every organization. Each organization in which one ended gets an audit entry.
 * Sessions stay.
 */
export async function endCredentialsOfUser(
  ctx: Ctx,
  tx: Db,
  userId: UserId,
  reason: "password_reset" | "email_verified" | "account_disowned",
): Promise<EndedCounts> {
  const endings = listEndings(ctx);
  const total = startCounts(endings);
  const byMember = new Map<MemberId, { orgId: OrgId; ended: EndedCounts }>();
  for (const ending of endings) {
    for (const { orgId, memberId } of await store.endOfUser(tx, userId, ending)) {
      const entry = byMember.get(memberId) ?? { orgId, ended: startCounts(endings) };
      byMember.set(memberId, entry);
      for (const counts of [entry.ended, total]) count(counts, ending.countedAs, 1);
    }
  }
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
  await invalidateCallers(ctx.bus, tx, userId);
  return total;
}

/** Ends the keys and tokens of a member. The caller records it. */
export async function endCredentialsOfMember(
  ctx: Pick<Ctx, "state" | "bus">,
  tx: Db,
  orgId: OrgId,
  memberId: MemberId,
): Promise<EndedCounts> {
  const endings = listEndings(ctx);
  const total = startCounts(endings);
  for (const ending of endings)
    count(total, ending.countedAs, (await store.endOfMember(tx, orgId, memberId, ending)).length);
  await invalidateCallers(ctx.bus, tx, memberId);
  return total;
}

/**
 * Refuses a caller whose session or key has ended, or does not have this access any more, since the request began. Call
 * it where a credential is created that outlives it: whoever ends the session or key waits, and can end the other too.
 */
export async function keepCredential(
  { state, caller, orgId }: PersonCtx & { orgId?: OrgId },
  tx: Db,
  access: Access = member(),
): Promise<void> {
  const type = state.get(credentialTypes).declared?.find(({ kind }) => kind === caller.credential);
  if (!type?.keep) return;
  const tokenHash = await type.keep(tx, caller.credentialId);
  const now = tokenHash === undefined ? undefined : await type.find(tx, tokenHash, orgId);
  if (!now) throw unauthorized("invalid_token");
  checkAccess(access, now, Date.now());
}

const startCounts = (endings: readonly CredentialEnding[]): EndedCounts =>
  Object.fromEntries(endings.flatMap(({ countedAs }) => (countedAs ? [[countedAs, 0]] : [])));

function count(counts: EndedCounts, name: string | undefined, by: number): void {
  if (name !== undefined) counts[name] = (counts[name] ?? 0) + by;
}
