import type { Caller, Ctx, OrgId, UserId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { invalidateCallers, readCookie } from "../../../platform/http/index.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import {
  cookieName,
  endSession,
  refreshSessionBySso,
  type SsoOrigin,
  sessionCredential,
  startSsoSession,
} from "../../auth/index.ts";
import type { ConnectorRow } from "../connectors/index.ts";
import type { Identity } from "../people/index.ts";

/** The session that this browser has now. */
export async function findCaller(
  { config }: Pick<Ctx, "config">,
  db: Db,
  cookies: string | undefined,
  orgId?: OrgId,
): Promise<Caller | undefined> {
  const cookie = readCookie(cookies, cookieName(config.publicUrl));
  return cookie ? sessionCredential.find(db, hashSecret(cookie), orgId) : undefined;
}

/** A clock of the provider that is ahead must not make a session fresh for longer. */
export const createOrigin = ({ orgId, id }: ConnectorRow, { authenticatedAt }: Identity): SsoOrigin => ({
  orgId,
  connectorId: id,
  authenticatedAt: authenticatedAt === undefined ? null : Math.min(authenticatedAt, Date.now()),
});

/**
 * Gives this browser a session of the person, and ends the one of somebody else. Returns undefined when the browser keeps
 * its session: programs and pages that use it continue to work.
 */
export async function enterSession(
  ctx: Ctx,
  tx: Db,
  userId: UserId,
  sso: SsoOrigin,
  cookies: string | undefined,
): Promise<string | undefined> {
  const caller = await findCaller(ctx, tx, cookies, sso.orgId);
  if (caller?.userId === userId) {
    if ((await refreshSessionBySso(tx, sso.orgId, userId, caller.credentialId, sso)) > 0) {
      await invalidateCallers(ctx.bus, tx, caller.credentialId);
      return undefined;
    }
  } else if (caller?.userId !== undefined) {
    await endSession(tx, caller.userId, caller.credentialId);
    await invalidateCallers(ctx.bus, tx, caller.credentialId);
  }
  return startSsoSession(ctx, tx, userId, sso);
}
