import { betterAuth } from "better-auth";
import type { Platform, UserId } from "../../platform/context.ts";
import { forgetCallers } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import { recordAsSystem } from "../audit/index.ts";
import { createAuthAdapter } from "./adapter.ts";
import * as mails from "./mails.ts";
import { sessionDays } from "./sessions/index.ts";
import * as store from "./store.ts";
import { removeChallenges } from "./two-factor/index.ts";

const prefixes: Record<string, string> = { user: "usr", session: "ses", account: "acc", verification: "ver" };

/**
 * Better Auth does what is easy to get wrong: passwords, reset and verification. It is called from our
 * own routes and never sees a request; sessions are checked by our own query.
 */
function createLibrary({ config, db, bus, keyring, mail, log }: Platform) {
  const { adapter, current, together } = createAuthAdapter(db, async (on, userIds) => {
    for (const userId of userIds) await forgetCallers(bus, on, userId);
  });
  const { api } = betterAuth({
    baseURL: config.publicUrl,
    basePath: "/api/auth",
    secret: keyring.derive("auth"),
    database: adapter,
    telemetry: { enabled: false },
    // Ours counts in the database, for every replica.
    rateLimit: { enabled: false },
    logger: {
      log: (level, message) => log[level === "error" ? "error" : "debug"]({ auth: message }, "auth"),
    },
    advanced: {
      database: { generateId: ({ model }) => newId(prefixes[model] ?? model) },
      ipAddress: { ipAddressHeaders: ["x-client-address"] },
    },
    user: {
      modelName: "users",
      fields: { emailVerified: "email_verified", createdAt: "created_at", updatedAt: "updated_at" },
    },
    session: {
      modelName: "sessions",
      expiresIn: sessionDays * 24 * 3600,
      disableSessionRefresh: true,
      fields: {
        userId: "user_id",
        token: "token_hash",
        expiresAt: "expires_at",
        ipAddress: "ip_address",
        userAgent: "user_agent",
        createdAt: "created_at",
        updatedAt: "updated_at",
      },
    },
    account: {
      modelName: "accounts",
      fields: {
        userId: "user_id",
        accountId: "account_id",
        providerId: "provider_id",
        createdAt: "created_at",
        updatedAt: "updated_at",
      },
    },
    verification: {
      modelName: "verifications",
      storeIdentifier: "hashed",
      fields: { expiresAt: "expires_at", createdAt: "created_at", updatedAt: "updated_at" },
    },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 8,
      maxPasswordLength: 128,
      resetPasswordTokenExpiresIn: 3600,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: ({ user, token }) =>
        mail.send(current(), mails.resetPassword(config.publicUrl, user, token)),
      // Whoever still holds an older link is not necessarily the person who just used the newest.
      onPasswordReset: async ({ user }) => {
        await store.removeLinks(current(), user.id as UserId);
        await removeChallenges(current(), user.id as UserId);
        const target = { type: "user", id: user.id };
        await recordAsSystem(current(), null, { action: "user.password_reset", target });
      },
    },
    emailVerification: {
      sendOnSignUp: true,
      expiresIn: 24 * 3600,
      sendVerificationEmail: ({ user, token }) =>
        mail.send(current(), mails.verifyEmail(config.publicUrl, user, token)),
    },
  });
  return { api, together };
}

const libraries = new WeakMap<Platform["keyring"], ReturnType<typeof createLibrary>>();

/** One per process; a context of a request carries the platform it was made from. */
export function libraryOf(platform: Platform) {
  // It keeps the `db` it was made with and would go on using a transaction that is long over.
  if (platform.db.inTransaction) throw new Error("The auth library must not be called inside a transaction.");
  const library = libraries.get(platform.keyring) ?? createLibrary(platform);
  libraries.set(platform.keyring, library);
  return library;
}
