import { describe, expect, test } from "vitest";
import { adminEnv, createAdmin } from "../../admin.ts";
import { createWorkspace, useServer } from "../../harness.ts";
import { openWindow, useBrowser } from "../browser.ts";
import { expectGoodPage } from "./harness.ts";

const server = useServer({ env: adminEnv });
const browser = useBrowser();

/** Reports what the policy stops, and a script that was made of a name, as errors of the page. */
const watcher = `
document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
  console.error("policy: " + violatedDirective + " " + blockedURI));
window.alert = () => console.error("A script in a name was executed.");
`;

const hostile = '"><img src=x onerror=alert(1)><script>alert(1)</script>';

describe("every page of the console", () => {
  test("keeps to the policy, asks no other host, and shows names as text", async () => {
    const root = await createAdmin(server);
    const reply = await server.call("/v1/organizations", {
      body: { name: hostile, slug: "hostile" },
      headers: root.auth,
    });
    expect(reply.status).toBe(201);
    await server.call("/v1/me", { method: "PATCH", body: { name: hostile }, headers: root.auth });
    const { page, complaints } = await openWindow(browser, server, "/o/hostile", root);
    await page.addInitScript({ content: watcher });
    const paths = [
      ...["", "/settings", "/settings/automations", "/settings/mails", "/settings/webhooks?new=1"],
      ...["/settings/telemetry", "/settings/quotas", "/settings/leave"],
    ].map((path) => `/o/hostile${path}`);
    const own = ["/me", "/me/sessions", "/me/passkeys", "/me/second-factor", "/me/preferences"];
    const admin = ["/admin", "/admin/organizations", "/admin/users", "/admin/usage", "/admin/log"];
    for (const path of [...paths, ...own, ...admin, "/new-organization"]) {
      const response = await page.goto(server.url + path, { waitUntil: "networkidle" });
      const policy = response!.headers()["content-security-policy"]!;
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).toContain("trusted-types 'none'");
      expect(policy).not.toContain("unsafe");
      await page.locator("h1, h2").first().waitFor();
      expect(await page.locator("img[src=x]").count(), path).toBe(0);
    }
    expect(complaints).toEqual([]);
  });

  test("is usable for everybody: account and settings in light and dark", async () => {
    const { owner } = await createWorkspace(server, "Access");
    const { page } = await openWindow(browser, server, "/me", owner);
    for (const path of [
      "/me",
      "/me/sessions",
      "/me/second-factor",
      "/me/preferences",
      "/o/access/settings",
      "/o/access/settings/automations",
      "/o/access/settings/mails",
      "/o/access/settings/quotas",
    ]) {
      await page.goto(server.url + path, { waitUntil: "networkidle" });
      await page.locator("h1").first().waitFor();
      await expectGoodPage(page);
    }
  });

  test("a page that is not in the console is not found by the server", async () => {
    const reply = await server.call("/nowhere");
    expect(reply.status).toBe(404);
  });
});
