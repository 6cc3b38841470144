/** The password hashing of the servers under test. */
import * as library from "@better-auth/utils/password";
import { vi } from "vitest";

/** The password of the people that tests sign up. */
export const testPassword = "correct horse battery";

let testHash: Promise<string> | undefined;

/**
 * A hash takes a tenth of a second of CPU time, and most tests sign somebody up. So each worker hashes the password of
 * the tests once, with the real function; every other password is hashed anew.
 */
export const hashPassword = vi.fn((password: string): Promise<string> => {
  if (password !== testPassword) return library.hashPassword(password);
  testHash ??= library.hashPassword(password);
  return testHash;
});

export const verifyPassword = vi.fn(
  async ({ hash, password }: { hash: string; password: string }): Promise<boolean> =>
    (password === testPassword && hash === (await testHash)) || library.verifyPassword(hash, password),
);
