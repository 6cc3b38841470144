import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createKey, createWorkspace, useServer } from "../../harness.ts";
import { useBrowser } from "../browser.ts";
import { expectSound, openOrganization } from "./organization.ts";

const server = useServer();
const browser = useBrowser();

test("entries are filtered by the address, compared in the inspector, and exported whole", async () => {
  const workspace = await createWorkspace(server);
  const { auth } = workspace.owner;
  await createKey(server, workspace.owner);
  await server.call("/v1/organization", { method: "PATCH", body: { name: "Globex" }, headers: auth });
  const window = await openOrganization(browser, server, "/audit", { workspace });
  const { page } = window;
  await page.getByRole("link", { name: /API key created/ }).waitFor();
  await expectSound(window);

  await page.getByLabel("Kind of action").selectOption({ label: "Organization" });
  await page.getByRole("link", { name: /API key created/ }).waitFor({ state: "detached" });
  expect(new URL(page.url()).searchParams.get("action")).toBe("organization");
  await page.getByRole("link", { name: /^Organization (changed|updated|renamed)/ }).click();
  const inspector = page.getByRole("complementary");
  await inspector.getByText('name: "Acme"').waitFor();
  await inspector.getByText('name: "Globex"').waitFor();
  await expectSound(window);

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("menuitem", { name: "CSV" }).click();
  const file = await readFile(await (await download).path(), "utf8");
  expect(file).toContain("organization.");
  expect(file).not.toContain("api_key.created");
  expect(file.trimEnd().endsWith("# complete")).toBe(true);

  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("link", { name: /API key created/ }).waitFor();
  await page.getByRole("button", { name: "Chain" }).click();
  await page
    .getByRole("dialog")
    .getByText(/^signalbox audit verify --organization org_/)
    .waitFor();
});

test("a day in the future has no entries", async () => {
  const { page } = await openOrganization(browser, server, "/audit?from=2099-01-01");
  await page.getByText("No entry matches these filters.").waitFor();
});

test("a member sees which permission the audit log needs, and no link to it", async () => {
  const window = await openOrganization(browser, server, "/audit", { role: "member" });
  await window.page.getByText(/audit:read/).waitFor();
  expect(await window.page.getByRole("link", { name: "Audit log" }).count()).toBe(0);
  await expectSound(window);
});
