import type { Ctx } from "../../platform/context.ts";
import { readCookie } from "../../platform/http/index.ts";
import { hashSecret } from "../../platform/secrets.ts";
import type { User } from "./contract.ts";
import { cookieName } from "./cookie.ts";
import * as store from "./store.ts";

/** The person who is signed in in this browser. Pages need no sign-in, but show who is signed in. */
export async function findVisitor(ctx: Ctx, cookies: string | undefined): Promise<User | undefined> {
  const cookie = readCookie(cookies, cookieName(ctx.config.publicUrl));
  return cookie ? store.findUserByToken(ctx.db, hashSecret(cookie)) : undefined;
}
