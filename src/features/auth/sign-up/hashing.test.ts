/** Hashing a password is slow, so it must not run inside a transaction. */
import { expect, test, vi } from "vitest";
import { signUp, useServer } from "../../../../test/harness.ts";
import { readMails } from "../../../platform/mail/index.ts";
import * as passwords from "../passwords.ts";

const server = useServer();

/** Calls `work` with a list that gets, for each hash, how many transactions are open at that time. */
async function watchHashing(work: (openWhileHashing: number[]) => Promise<void>): Promise<void> {
  const { transaction } = server.engine;
  let open = 0;
  server.engine.transaction = async (work, terms) => {
    open++;
    return transaction(work, terms).finally(() => open--);
  };
  // `test/mocks.ts` made it a mock function, for all files of the worker.
  const hash = vi.mocked(passwords.hashPassword);
  const original = hash.getMockImplementation();
  const openWhileHashing: number[] = [];
  hash.mockImplementation(async (password) => {
    openWhileHashing.push(open);
    return original ? original(password) : `hash of ${password}`;
  });
  try {
    await work(openWhileHashing);
  } finally {
    server.engine.transaction = transaction;
    hash.mockReset();
  }
}

test("a password is hashed once for a free and for a taken address, while no transaction is open", async () => {
  await watchHashing(async (openWhileHashing) => {
    const ada = await signUp(server);
    expect(openWhileHashing).toEqual([0]);
    const body = { email: ada.email, name: "Eve", password: "another password" };
    expect((await server.call("/api/auth/sign-up/email", { body })).status).toBe(200);
    expect(openWhileHashing).toEqual([0, 0]);
  });
});

test("a reset hashes the new password once, while no transaction is open, and not for an invalid link", async () => {
  const { email } = await signUp(server);
  await server.call("/api/auth/request-password-reset", { body: { email } });
  const mail = (await readMails(server.platform, 50)).find(
    ({ to, subject }) => to === email && subject === "Choose a new password",
  );
  const token = new URL(/http\S+token=\S+/.exec(mail!.text!)![0]).searchParams.get("token");
  const reset = async () =>
    (await server.call("/api/auth/reset-password", { body: { token, newPassword: "another password" } }))
      .status;
  await watchHashing(async (openWhileHashing) => {
    expect(await reset()).toBe(200);
    expect(openWhileHashing).toEqual([0]);
    expect(await reset()).toBe(400);
    expect(openWhileHashing).toEqual([0]);
  });
});
