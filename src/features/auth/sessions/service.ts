import type { Ctx, PersonCtx, UserId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { notFound } from "../../../platform/errors.ts";
import {
  cutPageById,
  invalidateCallers,
  type PageQuery,
  readIdCursor,
} from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { hashSecret, newToken } from "../../../platform/secrets.ts";
import { record } from "../../audit/index.ts";
import { reportBreakGlass } from "../break-glass/index.ts";
import type { User } from "../contract.ts";
import type { UserSession } from "./contract.ts";
import { describeDevice } from "./device.ts";
import * as store from "./store.ts";

/** A new session, with its token. */
export interface NewSession {
  token: string;
  user: User;
}

/** Starts a session for somebody who proved to this instance who they are. Returns its token. */
export async function startSession(
  ctx: Ctx,
  tx: Db,
  userId: UserId,
  signedInBy: Exclude<UserSession["signedInBy"], "sso">,
): Promise<string> {
  await reportBreakGlass(ctx, tx, userId);
  return insertSession(ctx, tx, userId, signedInBy, null);
}

/** Starts a session for somebody whom an organization's provider has identified. It acts in that organization only. */
export const startSsoSession = (ctx: Ctx, tx: Db, userId: UserId, sso: store.SsoOrigin): Promise<string> =>
  insertSession(ctx, tx, userId, "sso", sso);

async function insertSession(
  { address, userAgent }: Ctx,
  tx: Db,
  userId: UserId,
  signedInBy: UserSession["signedInBy"],
  sso: store.SsoOrigin | null,
): Promise<string> {
  const token = newToken("");
  await store.insert(tx, userId, {
    id: newId("ses"),
    tokenHash: hashSecret(token),
    signedInBy,
    sso,
    address: address === "unknown" ? null : address,
    userAgent,
    days: store.sessionDays,
  });
  return token;
}

export async function list({ db, userId, caller }: PersonCtx, query: PageQuery) {
  const { items, nextCursor } = cutPageById(
    await store.list(db, userId, caller.onlyOrgId, readIdCursor(query, "ses"), query.limit + 1),
    query,
  );
  return {
    items: items.map((session) => ({
      ...session,
      current: session.id === caller.credentialId,
      device: describeDevice(session.userAgent),
    })),
    nextCursor,
  };
}

export async function end(ctx: PersonCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const ended = isId("ses", id) ? await store.remove(tx, ctx.userId, id, ctx.caller.onlyOrgId) : 0;
    if (ended === 0) throw notFound("session");
    await invalidateCallers(ctx.bus, tx, id);
    await record(ctx, tx, { action: "session.ended", target: { type: "session", id } }, null);
  });
}

export async function endOthers(ctx: PersonCtx) {
  const { userId, caller } = ctx;
  return ctx.db.transaction(async (tx) => {
    const ended = await store.removeOthers(tx, userId, caller.credentialId, caller.onlyOrgId);
    if (ended > 0) {
      await invalidateCallers(ctx.bus, tx, userId);
      await record(
        ctx,
        tx,
        { action: "session.others_ended", target: { type: "user", id: userId }, after: { ended } },
        null,
      );
    }
    return { ended };
  });
}
