import { vi } from "vitest";

vi.mock("../src/features/auth/passwords.ts", async (importOriginal) => {
  const { withTestPassword } = await import("./passwords.ts");
  return withTestPassword(await importOriginal());
});
