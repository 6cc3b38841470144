/** The password hashing of the servers under test. */
import { vi } from "vitest";
import type * as Passwords from "../src/features/auth/passwords.ts";

const real = await vi.importActual<typeof Passwords>("../src/features/auth/passwords.ts");

/** The password of the people that tests sign up. */
export const testPassword = "correct horse battery";

let testHash: Promise<string> | undefined;

/**
 * A hash is slow on purpose, and most tests sign somebody up. So each worker hashes the password of the tests once,
 * with the real function; every other password is hashed anew.
 */
export const hashPassword = vi.fn((password: string): Promise<string> => {
  if (password !== testPassword) return real.hashPassword(password);
  testHash ??= real.hashPassword(password);
  return testHash;
});

export const verifyPassword = vi.fn(
  async (hash: string, password: string): Promise<boolean> =>
    (password === testPassword && hash === (await testHash)) || real.verifyPassword(hash, password),
);
