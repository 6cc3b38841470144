import type { Ctx, UserId } from "../../platform/context.ts";
import * as store from "./store.ts";

/**
 * True for people who administer the instance: those whose verified address is in ADMIN_EMAILS. Without the setting it
 * is the first account of an embedded instance, and nobody on a PostgreSQL server.
 */
export async function isOperator({ db, config }: Ctx, userId: UserId): Promise<boolean> {
  if (config.adminEmails.length > 0) {
    const user = await store.findUser(db, userId);
    return user?.emailVerified === true && config.adminEmails.includes(user.email.toLowerCase());
  }
  return db.kind === "pglite" && (await store.findFirstUser(db))?.id === userId;
}
