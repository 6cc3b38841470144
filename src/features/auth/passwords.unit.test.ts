import { expect, test } from "vitest";
import { hashPassword, isOutdatedHash, verifyPassword } from "./passwords.ts";

/** Made by the earlier format: scrypt with N 16384, r 16, p 1, and the salt as text. */
const scryptHash =
  "0f67ecbbf0ab9f2a017a58543e70c5eb:38ab0c967017fd0281e822f448998cf951779ee22bea4526429457e790024b1cb932c22467c75b9235db5390ac81fe5980628246116e7e444a895fe7145c61b4";

test("a hash verifies its own password and no other", async () => {
  const hash = await hashPassword("correct horse battery");
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(await verifyPassword(hash, "correct horse battery")).toBe(true);
  expect(await verifyPassword(hash, "correct horse batter")).toBe(false);
  expect(isOutdatedHash(hash)).toBe(false);
});

test("two hashes of one password differ", async () => {
  expect(await hashPassword("same")).not.toBe(await hashPassword("same"));
});

test("a password is the same in every form of Unicode", async () => {
  const hash = await hashPassword("e\u0301clair ﬁne");
  expect(await verifyPassword(hash, "\u00e9clair fine")).toBe(true);
});

test("the test vector of the reference implementation verifies", async () => {
  const vector = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  expect(await verifyPassword(vector, "password")).toBe(true);
  expect(isOutdatedHash(vector)).toBe(true);
});

test("a hash of the earlier format verifies, and is outdated", async () => {
  expect(await verifyPassword(scryptHash, "correct horse battery")).toBe(true);
  expect(await verifyPassword(scryptHash, "another")).toBe(false);
  expect(isOutdatedHash(scryptHash)).toBe(true);
});

test.each([
  "",
  "plain text",
  "$argon2i$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
  "$argon2id$v=19$m=99999999,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
  "$argon2id$v=19$m=65536,t=9999999,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
])("%j verifies nothing", async (hash) => {
  expect(await verifyPassword(hash, "password")).toBe(false);
});
