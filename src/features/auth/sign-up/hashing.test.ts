/** Hashing a password is slow, so it must not run inside a transaction. */
import * as crypto from "better-auth/crypto";
import { expect, test, vi } from "vitest";
import { signUp, useServer } from "../../../../test/harness.ts";

vi.mock("better-auth/crypto", { spy: true });
const server = useServer();

test("a password is hashed once for a free and for a taken address, while no transaction is open", async () => {
  const { transaction } = server.engine;
  let open = 0;
  server.engine.transaction = async (work, terms) => {
    open++;
    return transaction(work, terms).finally(() => open--);
  };
  const hash = vi.mocked(crypto.hashPassword);
  const original = hash.getMockImplementation();
  const openWhileHashing: number[] = [];
  hash.mockImplementation(async (password) => {
    openWhileHashing.push(open);
    return original ? original(password) : `hash of ${password}`;
  });
  try {
    const ada = await signUp(server);
    expect(openWhileHashing).toEqual([0]);
    const body = { email: ada.email, name: "Eve", password: "another password" };
    expect((await server.call("/api/auth/sign-up/email", { body })).status).toBe(200);
    expect(openWhileHashing).toEqual([0, 0]);
  } finally {
    server.engine.transaction = transaction;
  }
});
