import { describe, expect, test } from "vitest";
import { createWorkspace, invite, useServer } from "../../harness.ts";
import { openWindow, useBrowser } from "../browser.ts";
import { button, expectGoodPage, field, heading } from "./harness.ts";

describe("the first run", () => {
  const server = useServer({ env: { SIGNUP: "invited" } });
  const browser = useBrowser();

  test("an empty instance leads to one form, and the form to an organization of one's own", async () => {
    const { page, complaints } = await openWindow(browser, server, "/");
    await page.waitForURL("**/setup");
    await heading(page, "Create the owner").waitFor();
    await expectGoodPage(page);

    // The server's messages appear at their fields, and what was entered stays.
    await field(page, "Your name").fill("Ada Lindqvist");
    await field(page, "E-mail").fill("ada@northwind.example");
    await field(page, "Password").fill("short");
    await field(page, "Organization").fill("Northwind <b>Robotics</b>");
    await page.getByText("In addresses: northwind-b-robotics-b.").waitFor();
    await button(page, "Create owner and organization").click();
    await page.getByText("A password has at least 8 characters.").waitFor();
    expect(await field(page, "Your name").inputValue()).toBe("Ada Lindqvist");

    await field(page, "Password").fill("correct horse battery");
    await page.getByText("Strong.").waitFor();
    await button(page, "Create owner and organization").click();
    await page.waitForURL("**/o/northwind-b-robotics-b");
    // The name is text, however it is written.
    await page.getByRole("button", { name: "Organization: Northwind <b>Robotics</b>" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("an instance with an account leads from the set-up to the sign-in, and offers no account to strangers", async () => {
    const { page } = await openWindow(browser, server, "/setup");
    await page.waitForURL("**/sign-in");
    await heading(page, "Sign in").waitFor();
    expect(await page.getByText("Create an account").count()).toBe(0);
    await page.goto(`${server.url}/sign-up`);
    await heading(page, "An invitation is needed").waitFor();
    await expectGoodPage(page);
  });
});

describe("the first steps", () => {
  const server = useServer();
  const browser = useBrowser();

  test("tick themselves when they have happened", async () => {
    const { owner } = await createWorkspace(server, "Acme");
    const { page, complaints } = await openWindow(browser, server, "/", owner);
    await page.waitForURL("**/o/acme*");
    await page.getByText("One of six done").waitFor();
    await page.getByRole("button", { name: "Invite someone" }).click();
    await page.getByRole("link", { name: "Invite someone" }).waitFor();
    await invite(server, owner);
    await page.getByText("Two of six done").waitFor({ timeout: 20_000 });
    await expectGoodPage(page);
    expect(complaints).toEqual([]);
  });
});
