import { isLoopbackOnly } from "../../platform/config.ts";
import type { Ctx, UserId } from "../../platform/context.ts";
import * as store from "./store.ts";

/**
 * True for people who administer the instance: those whose verified address is in ADMIN_EMAILS. Without the setting it
 * is the first account of an embedded instance, and nobody on a PostgreSQL server. The first account is recorded when
 * it is created, so nobody takes its place when it is deleted. If others can reach the instance, its address must be
 * verified.
 */
export async function isOperator(
  { db, config }: Pick<Ctx, "db" | "config">,
  userId: UserId,
): Promise<boolean> {
  if (config.adminEmails.length > 0) {
    const user = await store.findUser(db, userId);
    return user?.emailVerified === true && config.adminEmails.includes(user.email.toLowerCase());
  }
  if (db.kind !== "pglite") return false;
  const first = await store.findFirstAccount(db);
  return first?.id === userId && (first.emailVerified || isLoopbackOnly(config));
}
