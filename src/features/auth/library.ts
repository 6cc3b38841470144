import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { betterAuth } from "better-auth";
import { APIError } from "better-auth/api";
import { hashPassword, verifyPassword } from "better-auth/crypto";
import type { Ctx, Platform, UserId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { forgetCallers } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { createAuthAdapter, StorageError } from "./adapter.ts";
import type { User } from "./contract.ts";
import * as mails from "./mails.ts";
import { sessionDays } from "./sessions/index.ts";

/** The identifier under which the library stores a reset link. */
export const resetIdentifier = (token: string): string =>
  createHash("sha256").update(`reset-password:${token}`).digest("base64url");

const prefixes: Record<string, string> = { user: "usr", session: "ses", account: "acc", verification: "ver" };

/**
 * Better Auth does what is easy to get wrong: passwords, reset and verification. It is called from our
 * own routes and never sees a request; sessions are checked by our own query.
 */
function createLibrary({ config, db, bus, keyring, mail, log }: Platform) {
  const { adapter, current, together } = createAuthAdapter(db, async (on, userIds) => {
    for (const userId of userIds) await forgetCallers(bus, on, userId);
  });
  const resets = new WeakMap<Db, UserId>();
  const hashes = new AsyncLocalStorage<string>();
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
      password: {
        hash: async (password) => hashes.getStore() ?? hashPassword(password),
        verify: verifyPassword,
      },
      resetPasswordTokenExpiresIn: 3600,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: ({ user, token }) =>
        mail.send(current(), mails.resetPassword(config.publicUrl, user, token)),
      onPasswordReset: async ({ user }) => void resets.set(current(), readUserId(user)),
    },
    emailVerification: {
      sendOnSignUp: true,
      expiresIn: 24 * 3600,
      sendVerificationEmail: ({ user, token }) =>
        mail.send(current(), mails.verifyEmail(config.publicUrl, user, token)),
    },
  });
  /** The user whose password was reset in this transaction. The library's reply does not include it. */
  const findResetUser = (tx: Db) => resets.get(tx);
  /** Gives the library a finished hash. Hashing is slow, so it must not run inside a transaction. */
  const withHash = <T>(hash: string, work: () => Promise<T>) => hashes.run(hash, work);
  return { api, together, findResetUser, withHash };
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

export const headersOf = ({ address, userAgent }: Ctx) =>
  new Headers({ "user-agent": userAgent, ...(address === "unknown" ? {} : { "x-client-address": address }) });

/** Throws the original database error instead of the library's wrapper. */
export async function callLibrary<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof StorageError ? error.cause : error;
  }
}

export const codeOf = (error: unknown) => (error instanceof APIError ? error.body?.code : undefined);

export interface SignedIn {
  token: string;
  user: User;
}

interface LibraryUser {
  id: string;
  email: string;
  emailVerified: boolean;
  name: string;
  createdAt: Date;
}

function readUserId({ id }: { id: string }): UserId {
  if (!isId("usr", id)) throw new Error("The auth library returned an id that is not a user's.");
  return id;
}

export function signedIn({ token, user }: { token: string | null; user: LibraryUser }): SignedIn {
  if (!token) throw new Error("Signing in gave no session.");
  const { email, emailVerified, name, createdAt } = user;
  return {
    token,
    user: { id: readUserId(user), email, emailVerified, name, createdAt: createdAt.getTime() },
  };
}
