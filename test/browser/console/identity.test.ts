import { describe, expect, test } from "vitest";
import { createWorkspace, joinWorkspace, signUp, useServer } from "../../harness.ts";
import { openWindow, useBrowser } from "../browser.ts";
import { ageSessions, button, endSessions, expectGoodPage, field, heading } from "./harness.ts";

const server = useServer();
const browser = useBrowser();

describe("signing in again in place", () => {
  test("a form that is half filled survives the end of the session, and is saved after the sign-in", async () => {
    const { owner } = await createWorkspace(server, "Ended");
    const { page, complaints } = await openWindow(browser, server, "/o/ended/settings", owner);
    await field(page, "Name").fill("Ended & renamed");
    await field(page, "E-mail domains of invited people").fill("ended.example");
    await endSessions(server, owner);
    // The server may still know the session for a moment.
    await expect
      .poll(async () => (await server.call("/v1/me", { headers: owner.auth })).status, { timeout: 10_000 })
      .toBe(401);
    await button(page, "Save").click();
    const dialog = page.getByRole("dialog");
    await heading(page, "Sign in again").waitFor();
    await expectGoodPage(page);

    // Esc closes the question and nothing else: what was entered stays.
    await dialog.getByLabel("Password", { exact: true }).press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByText("You are signed out. What you see may be old.").waitFor();
    expect(await field(page, "Name").inputValue()).toBe("Ended & renamed");
    await button(page, "Save").click();

    await dialog.getByLabel("Password", { exact: true }).fill("not my password");
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog.getByText("The e-mail address or the password is wrong.").waitFor();

    // Another account cannot go on with this page.
    const stranger = await signUp(server);
    await dialog.getByLabel("E-mail", { exact: true }).fill(stranger.email);
    await dialog.getByLabel("Password", { exact: true }).fill(stranger.password);
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog.getByText(`You signed in as ${stranger.email}, which is another account.`).waitFor();

    await dialog.getByLabel("E-mail", { exact: true }).fill(owner.email);
    await dialog.getByLabel("Password", { exact: true }).fill(owner.password);
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Settings saved.").waitFor();
    expect(await field(page, "Name").inputValue()).toBe("Ended & renamed");
    expect(await field(page, "E-mail domains of invited people").inputValue()).toBe("ended.example");
    await page.getByRole("button", { name: "Organization: Ended & renamed" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("a session that ends after an upgrade is asked for in place, and the palette opens", async () => {
    const { owner } = await createWorkspace(server, "Newer");
    const { page } = await openWindow(browser, server, "/o/newer/settings", owner);
    await field(page, "Name").fill("Newer & renamed");
    // The files that are not in memory by then are gone.
    await page.waitForTimeout(5_000);
    await page.route("**/assets/**", (route) => route.fulfill({ status: 404 }));
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Search or go to" }).waitFor();
    await page.keyboard.press("Escape");
    await endSessions(server, owner);
    await expect
      .poll(async () => (await server.call("/v1/me", { headers: owner.auth })).status, { timeout: 10_000 })
      .toBe(401);
    await button(page, "Save").click();
    await heading(page, "Sign in again").waitFor();
    expect(await field(page, "Name").inputValue()).toBe("Newer & renamed");
  });

  test("an old session is made fresh in a dialog over the one that asked, and the request goes through", async () => {
    const { owner } = await createWorkspace(server, "Old");
    const { page, complaints } = await openWindow(browser, server, "/o/old/settings/leave", owner);
    await ageSessions(server, owner);
    await expect
      .poll(
        async () =>
          (
            await server.call("/v1/organization", {
              method: "DELETE",
              body: { confirm: "no" },
              headers: owner.auth,
            })
          ).body.error,
        { timeout: 10_000 },
      )
      .toBe("reauth");
    await button(page, "Delete organization").click();
    const asking = page.getByRole("dialog", { name: "Delete Old?" });
    await asking.getByLabel("Type old to confirm").fill("old");
    await asking.getByRole("button", { name: "Delete organization" }).click();
    const identity = page.getByRole("dialog", { name: "Confirm that it is you" });
    await identity.getByLabel("Your password").fill("not my password");
    await identity.getByRole("button", { name: "Confirm" }).click();
    await identity.getByText("This is not your password.").waitFor();
    await expectGoodPage(page);

    // Esc closes only the dialog in front. The server's reason is in the other one, with what was typed.
    await identity.getByLabel("Your password").press("Escape");
    await identity.waitFor({ state: "detached" });
    await asking.getByText(/Sign in again to do this/).waitFor();
    expect(await asking.getByLabel("Type old to confirm").inputValue()).toBe("old");

    await asking.getByRole("button", { name: "Delete organization" }).click();
    await identity.getByLabel("Your password").fill(owner.password);
    await identity.getByRole("button", { name: "Confirm" }).click();
    await page.waitForURL("**/new-organization");
    expect((await server.call("/v1/me", { headers: owner.auth })).body.organizations).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("a sign-in in another window continues the page that waits", async () => {
    const { owner } = await createWorkspace(server, "Windows");
    const { page } = await openWindow(browser, server, "/o/windows/settings", owner);
    await field(page, "Name").fill("Windows, renamed");
    await endSessions(server, owner);
    await expect
      .poll(async () => (await server.call("/v1/me", { headers: owner.auth })).status, { timeout: 10_000 })
      .toBe(401);
    await button(page, "Save").click();
    await heading(page, "Sign in again").waitFor();
    const other = await page.context().newPage();
    await other.goto(`${server.url}/sign-in`);
    await field(other, "E-mail").fill(owner.email);
    await field(other, "Password").fill(owner.password);
    await button(other, "Sign in").click();
    await other.waitForURL("**/o/windows");
    await page.getByText("Settings saved.").waitFor();
  });

  test("a page closes when another account signs in in this browser, and its draft is not theirs", async () => {
    const workspace = await createWorkspace(server, "Shared");
    const colleague = await joinWorkspace(server, workspace, "admin");
    const { page } = await openWindow(browser, server, "/o/shared/automations/new", workspace.owner);
    await field(page, "Name").fill("Only for the owner");
    await page.getByText("Unsaved changes").waitFor();
    const other = await page.context().newPage();
    await other.request.post(`${server.url}/api/auth/sign-out`, { headers: { origin: server.url } });
    await other.goto(`${server.url}/sign-in`);
    await field(other, "E-mail").fill(colleague.email);
    await field(other, "Password").fill(colleague.password);
    await button(other, "Sign in").click();
    await other.waitForURL("**/o/**");
    await heading(page, `${colleague.email} is signed in now`).waitFor();
    expect(await field(page, "Name").count()).toBe(0);
    await expectGoodPage(page);
    await button(page, "Reload the page").click();
    await heading(page, "New automation").waitFor();
    expect(await field(page, "Name").inputValue()).toBe("");
  });
});
