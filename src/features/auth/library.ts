import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { betterAuth } from "better-auth";
import { APIError } from "better-auth/api";
import { hashPassword, verifyPassword } from "better-auth/crypto";
import type { Ctx, Platform, UserId } from "../../platform/context.ts";
import { forgetCallers } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import { defineState } from "../../platform/state.ts";
import { createAuthAdapter, StorageError } from "./adapter.ts";
import type { User } from "./contract.ts";
import * as mails from "./mails.ts";
import { sessionDays } from "./sessions/index.ts";

/** The identifier under which the library stores a reset link. */
export const resetIdentifier = (token: string): string =>
  createHash("sha256").update(`reset-password:${token}`).digest("base64url");

const prefixes: Record<string, string> = { user: "usr", session: "ses", account: "acc", verification: "ver" };

/**
 * Better Auth handles passwords, resets and verification. Our own routes call it, so it never receives a request.
 * Sessions are checked by our own query.
 */
function createLibrary({ config, db, bus, keyring, mail, log }: Platform) {
  const { adapter, current, transaction } = createAuthAdapter(db, async (on, userIds) => {
    for (const userId of userIds) await forgetCallers(bus, on, userId);
  });
  const calls = new AsyncLocalStorage<{ hash: string; resetUserId?: UserId }>();
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
        hash: async (password) => calls.getStore()?.hash ?? hashPassword(password),
        verify: verifyPassword,
      },
      resetPasswordTokenExpiresIn: 3600,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: ({ user, token }) =>
        mail.send(current(), mails.resetPassword(config.publicUrl, user, token)),
      onPasswordReset: async ({ user }) => {
        const call = calls.getStore();
        if (call) call.resetUserId = user.id as UserId;
      },
    },
    emailVerification: {
      sendOnSignUp: true,
      expiresIn: 24 * 3600,
      sendVerificationEmail: ({ user, token }) =>
        mail.send(current(), mails.verifyEmail(config.publicUrl, user, token)),
    },
  });
  /** Gives the library a finished hash. Hashing is slow, so it must not run inside a transaction. */
  const withHash = <T>(hash: string, work: () => Promise<T>) => calls.run({ hash }, work);
  /** The user whose password was reset inside this `withHash`. The library's reply does not include it. */
  const findResetUser = () => calls.getStore()?.resetUserId;
  return { api, transaction, findResetUser, withHash };
}

export const authLibrary = defineState({ name: "auth library", create: createLibrary });

export function getLibrary({ db, state }: Pick<Platform, "db" | "state">) {
  // The library opens its own transactions. Inside another one it would wait for itself.
  if (db.inTransaction) throw new Error("The auth library must not be called inside a transaction.");
  return state.get(authLibrary);
}

export const createHeaders = ({ address, userAgent }: Ctx) =>
  new Headers({ "user-agent": userAgent, ...(address === "unknown" ? {} : { "x-client-address": address }) });

/** Throws the original database error instead of the library's wrapper. */
export async function callLibrary<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof StorageError ? error.cause : error;
  }
}

export const readErrorCode = (error: unknown) => (error instanceof APIError ? error.body?.code : undefined);

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

export function signedIn({ token, user }: { token: string | null; user: LibraryUser }): SignedIn {
  if (!token) throw new Error("Signing in gave no session.");
  const { id, email, emailVerified, name, createdAt } = user;
  return { token, user: { id, email, emailVerified, name, createdAt: createdAt.getTime() } };
}
