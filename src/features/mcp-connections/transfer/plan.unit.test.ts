import { expect, test } from "vitest";
import { planImport } from "./plan.ts";

test("an address that is given without a file is shown without its secrets, and saved with them", () => {
  const url = "https://mcp.example.com/s/8f14e45fceea167a5a36dedd4bea2543/mcp";
  const [{ body, ...shown } = { body: undefined }] = planImport({
    items: [{ url, credential: "per_member" }],
  });
  expect(JSON.stringify(shown)).not.toContain("8f14e45f");
  expect(body).toMatchObject({ url });
});
