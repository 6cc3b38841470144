import type { Ctx, PersonCtx, UserId } from "../../../platform/context.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { cutPage, defineCursor, invalidateCallers, readPage } from "../../../platform/http/index.ts";
import { isId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { findUser, removeOtherSessions, resetTwoFactorOfUser } from "../../auth/index.ts";
import type { listQuery } from "./contract.ts";
import * as store from "./store.ts";

const emailCursor = defineCursor<string>({
  write: (email) => `email ${email}`,
  read: (text) => /^email (.{1,320})$/.exec(text)?.[1],
  exact: true,
});

export async function list({ db }: Ctx, query: (typeof listQuery)["_output"]) {
  const { email, sort, limit } = query;
  if (sort === "newest") return readPage(store.listNewestAcrossOrganizations(db, email), query, "usr");
  const after = emailCursor.read(query, "");
  const rows = await store.listByEmailAcrossOrganizations(db, email, after, limit + 1);
  return cutPage(rows, query, (last) => emailCursor.write(last.email));
}

function requireUserId(id: string): UserId {
  if (!isId("usr", id)) throw notFound("user");
  return id;
}

export async function signOut(ctx: PersonCtx, id: string) {
  const userId = requireUserId(id);
  return ctx.db.transaction(async (tx) => {
    if (!(await findUser(tx, userId))) throw notFound("user");
    const sessionsEnded = await removeOtherSessions(tx, userId, "");
    await invalidateCallers(ctx.bus, tx, userId);
    const target = { type: "user", id: userId };
    await record(ctx, tx, { action: "user.signed_out", target, after: { sessionsEnded } }, null);
    return { sessionsEnded };
  });
}

export async function resetSecondFactor(ctx: PersonCtx, id: string) {
  const userId = requireUserId(id);
  // Whoever has taken over a session must not remove the factor that protects the account.
  if (userId === ctx.userId)
    throw conflict("own_account", "Change your own second factor in your account. It asks for a code.");
  return resetTwoFactorOfUser(ctx, userId);
}
