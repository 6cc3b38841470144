import { expect, test } from "vitest";
import { createTemplate } from "../../connectors.ts";
import { createRole, createWorkspace, joinWorkspace, useServer } from "../../harness.ts";
import { openWindow, useBrowser } from "../browser.ts";
import { button, expectGoodPage, findPath, heading } from "./harness.ts";

const server = useServer();
const browser = useBrowser();

const before =
  "# Rules\n\n- Be kind.\n- <img src=x onerror=alert(1)>\n\nSee [the guide](https://example.com/guide).\n";
const after = `${before}\n| Label | Meaning |\n|---|---|\n| bug | It is **broken** |\n`;

test("a template is rendered as text only, with its history and what changed", async () => {
  const { owner } = await createWorkspace(server);
  const template = await createTemplate(server, owner.auth, {
    name: "Issue triage",
    body: before,
    tags: ["issues"],
  });
  const changed = await server.call(`/v1/templates/${template.id}`, {
    method: "PATCH",
    body: { body: after },
    headers: owner.auth,
  });
  expect(changed.status).toBe(200);
  const { page, complaints } = await openWindow(
    browser,
    server,
    await findPath(server, owner, "/templates"),
    owner,
  );
  await page.getByRole("link", { name: /Issue triage/ }).click();
  await heading(page, "Issue triage").waitFor();
  await heading(page, "Rules").waitFor();
  await page.getByRole("cell", { name: "It is broken" }).waitFor();
  // Markup in a template stays text.
  await page.getByText("<img src=x onerror=alert(1)>").waitFor();
  expect(await page.locator("main img").count()).toBe(0);
  expect(await page.getByRole("link", { name: "the guide" }).getAttribute("rel")).toBe("noopener noreferrer");
  await page.getByText("It was created by hand and follows no repository.").waitFor();
  await expectGoodPage(page);

  await button(page, "Changes").click();
  await page.getByText("| bug | It is **broken** |").waitFor();
  expect(await page.locator(".diff .add").count()).toBeGreaterThan(2);
  await page.getByRole("link", { name: /^Version 1/ }).click();
  await page.getByText("This is version 1. The current one is 2.").waitFor();
  await button(page, "Source").click();
  expect(await page.locator("pre.code").textContent()).toBe(before);
  await page.goBack();
  await button(page, "Rendered").click();
  await page.getByRole("cell", { name: "It is broken" }).waitFor();
  expect(complaints).toEqual([]);
});

test("templates are found by words and tags, and not without the permission", async () => {
  const workspace = await createWorkspace(server);
  await createTemplate(server, workspace.owner.auth, { name: "Release notes", tags: ["writing"] });
  await createTemplate(server, workspace.owner.auth, { name: "On call", tags: ["support"] });
  const path = await findPath(server, workspace.owner, "/templates");
  const { page } = await openWindow(browser, server, path, workspace.owner);
  const table = page.getByRole("table", { name: "Templates" });
  await table.getByText("On call").waitFor();
  await button(page, "writing").click();
  await expect.poll(() => table.getByRole("link").allTextContents()).toEqual(["Release notes"]);
  await button(page, "Tag: writing").click();
  await page.getByLabel("Find a template").fill("call");
  await expect.poll(() => table.getByRole("link").allTextContents()).toEqual(["On call"]);
  await expectGoodPage(page);

  const role = await createRole(server, workspace.owner, ["organization:read"]);
  const person = await joinWorkspace(server, workspace, role.id);
  const second = await openWindow(browser, server, path, person);
  await second.page.getByText("templates:read").first().waitFor();
});
