import { vi } from "vitest";

vi.mock("../src/features/auth/passwords.ts", async (importOriginal) => {
  const { hashPassword, verifyPassword } = await import("./passwords.ts");
  return { ...(await importOriginal<object>()), hashPassword, verifyPassword };
});
