import { expect, test } from "vitest";
import { createWorkspace, invite, useServer } from "../../harness.ts";
import { mailedLink, openWindow, press, useBrowser } from "../browser.ts";

const server = useServer();
const browser = useBrowser();

test("a second person accepts an invitation and lands in the console, with a role that hides what it may not", async () => {
  const { owner } = await createWorkspace(server, "Northwind");
  const email = `grace-${Date.now()}@example.com`;
  await invite(server, owner, { email });
  const { page, complaints } = await openWindow(
    browser,
    server,
    await mailedLink(server, email, "/invitation?token="),
  );
  await page.click("#toggle");
  await page.fill("#fullname", "Grace <script>alert(1)</script>");
  await page.fill("#email", email);
  await page.fill("#password", "correct horse battery");
  await page.click("#go");
  await page.locator("#who").waitFor();
  await press(page, "Accept the invitation");
  await press(page, "Open Northwind");
  await page.waitForURL(`${server.url}/o/northwind`);
  await page.getByRole("link", { name: "Settings" }).first().waitFor();
  // A script in a name stays text.
  await page.getByText("Grace <script>alert(1)</script>").first().waitFor();
  expect(await page.getByRole("link", { name: "Audit log" }).count()).toBe(0);

  // The organization's name is not a member's to change: the page says so, and the server refuses.
  await page.goto(`${server.url}/o/northwind/settings`);
  await page.getByText("Changing them needs the permission organization:update").waitFor();
  expect(await page.getByRole("button", { name: "Save" }).count()).toBe(0);
  const status = await page.evaluate(
    "fetch('/v1/organization', { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{\"name\":\"Mine\"}' }).then((reply) => reply.status)",
  );
  expect(status).toBe(403);
  await page.goto(`${server.url}/admin`);
  await page.getByText("This page is for the people who run this instance").waitFor();
  expect(complaints).toEqual([]);
});
