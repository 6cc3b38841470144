import { vi } from "vitest";

vi.mock("better-auth/crypto", async (importOriginal) => {
  const { hashPassword, verifyPassword } = await import("./passwords.ts");
  return { ...(await importOriginal<object>()), hashPassword, verifyPassword };
});
