/** The password hashing of the servers under test. */
import { vi } from "vitest";
import type * as Passwords from "../src/features/auth/passwords.ts";

/** The password of the people that tests sign up. */
export const testPassword = "correct horse battery";

/**
 * A hash is slow on purpose, and most tests sign somebody up. So each worker hashes the password of the tests once,
 * with the real function; every other password is hashed anew.
 */
export function withTestPassword(real: typeof Passwords): typeof Passwords {
  let testHash: Promise<string> | undefined;
  return {
    ...real,
    hashPassword: vi.fn((password) => {
      if (password !== testPassword) return real.hashPassword(password);
      testHash ??= real.hashPassword(password);
      return testHash;
    }),
    verifyPassword: vi.fn(
      async (hash, password) =>
        (password === testPassword && hash === (await testHash)) || real.verifyPassword(hash, password),
    ),
  };
}
