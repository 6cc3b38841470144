import { expect, test } from "vitest";
import { createRole, createWorkspace, joinWorkspace, useServer } from "../../harness.ts";
import { openWindow, useBrowser, violations, type Window } from "../browser.ts";

const server = useServer();
const browser = useBrowser();

/** Opens a page of the console as a member of a new organization. */
async function openOrganization(path: string, role = "owner") {
  const workspace = await createWorkspace(server);
  const person = role === "owner" ? workspace.owner : await joinWorkspace(server, workspace, role);
  const { body } = await server.call("/v1/organization", { headers: workspace.owner.auth });
  const { slug } = body.organization;
  const window = await openWindow(browser, server, `/o/${slug}${path}`, person);
  return { ...window, ...workspace, person, slug };
}

/** No error in the console, and nothing serious for axe in light and dark. */
async function expectSound({ page, complaints }: Window): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page), colorScheme).toEqual([]);
  }
  expect(complaints).toEqual([]);
}

test("an owner invites someone, and gets the link that the mail has too", async () => {
  const window = await openOrganization("/people/members");
  const { page } = window;
  await page.getByRole("heading", { name: "People", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Invite" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail address").fill("not an address");
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  await dialog.getByText("Correct the marked fields.").waitFor();
  expect(await page.evaluate("document.activeElement.type")).toBe("email");
  await dialog.getByLabel("E-mail address").fill("grace@example.com");
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  await dialog.getByText("grace@example.com is invited.").waitFor();
  expect(await dialog.locator("code").textContent()).toContain(`${server.url}/invitation?token=`);
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "Invitations" }).click();
  await page.getByText("grace@example.com").waitFor();
  await expectSound(window);
});

test("a role is changed in the matrix, with what it means for how many people before it is saved", async () => {
  const workspace = await createWorkspace(server);
  const role = await createRole(server, workspace.owner, ["organization:read", "members:read"]);
  await joinWorkspace(server, workspace, role.id);
  const { body } = await server.call("/v1/organization", { headers: workspace.owner.auth });
  const window = await openWindow(
    browser,
    server,
    `/o/${body.organization.slug}/people/roles`,
    workspace.owner,
  );
  const { page } = window;
  await page.getByLabel(`${role.name}: templates:read`).check();
  await page.getByLabel(`${role.name}: members:read`).uncheck();
  await page.getByText(`${role.name} gains 1 permission and loses 1 permission`).waitFor();
  await page.getByText("It applies to 1 person at once.").waitFor();
  await expectSound(window);
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByText("1 person has it now.").waitFor();
  const roles = await server.call("/v1/roles", { headers: workspace.owner.auth });
  const saved = roles.body.items.find(({ id }: { id: string }) => id === role.id);
  expect(saved.permissions.toSorted()).toEqual(["organization:read", "templates:read"]);
});

test("permissions and their ticks stand beside each other, however many roles there are", async () => {
  const { page, owner } = await openOrganization("/people/roles");
  for (let i = 1; i <= 9; i++) await createRole(server, owner, ["members:read"]);
  await page.reload();
  const row = page.getByRole("row").filter({ hasText: "members:read" });
  await row.getByRole("checkbox").nth(8).waitFor();
  for (const width of [1440, 720]) {
    await page.setViewportSize({ width, height: 900 });
    const permission = (await row.getByText("members:read").boundingBox())!;
    const tick = (await row.getByRole("cell").first().boundingBox())!;
    expect(permission.x + permission.width, `${width}`).toBeLessThanOrEqual(tick.x);
    expect((await page.getByLabel("Find a permission").boundingBox())!.width).toBeGreaterThan(100);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  }
});

test("a member sees no action that the role does not have, and the server refuses the address", async () => {
  const window = await openOrganization("/people/members", "member");
  const { page, slug } = window;
  await page.getByRole("heading", { name: "People", level: 1 }).waitFor();
  expect(await page.getByRole("button", { name: "Invite" }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "Audit log" }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "Invitations" }).count()).toBe(0);
  await page.goto(`${server.url}/o/${slug}/people/invitations`);
  await page.getByText("This needs the permission members:invite.").waitFor();
  await page.getByRole("button", { name: "Copy a request" }).waitFor();
});

test("a member's own costs are not compared with the budget of all", async () => {
  const { page, owner, slug } = await openOrganization("/usage", "member");
  const body = { monthlyBudgetMicros: 100_000_000 };
  const set = await server.call("/v1/automation-settings", { method: "PATCH", body, headers: owner.auth });
  expect(set.status).toBe(200);
  const ofOwner = await openWindow(browser, server, `/o/${slug}/usage`, owner);
  await ofOwner.page.getByText("against its budget").first().waitFor();
  await page.reload();
  await page.getByText("You see your own usage.").waitFor();
  await page.waitForLoadState("networkidle");
  expect(await page.getByText("against its budget").count()).toBe(0);
});

test("the settings lead to the single sign-on only with the permission to see it", async () => {
  const { page, owner, slug } = await openOrganization("/settings", "member");
  const ofOwner = await openWindow(browser, server, `/o/${slug}/settings`, owner);
  await ofOwner.page.getByRole("link", { name: "Change single sign-on" }).waitFor();
  await page.getByText("Not required").waitFor();
  expect(await page.getByRole("link", { name: "Change single sign-on" }).count()).toBe(0);
});

test("a member is deactivated, reactivated and removed", async () => {
  const window = await openOrganization("/people/members");
  const { page } = window;
  const { memberId } = await joinWorkspace(server, { orgId: window.orgId }, "member");
  await page.goto(`${server.url}/o/${window.slug}/people/members/${memberId}`);
  const inspector = page.getByRole("complementary");
  await inspector.getByRole("button", { name: "Deactivate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
  await inspector.getByText("Deactivated").waitFor();
  await inspector.getByRole("button", { name: "Reactivate" }).click();
  await inspector.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.waitForURL("**/people/members");
  await page.goBack();
  await page.getByText("There is nothing at this address").waitFor();
  await expectSound(window);
});

test("Back before the list has appeared shows that the removed member is gone", async () => {
  const window = await openOrganization("/people/members");
  const { page } = window;
  const { memberId } = await joinWorkspace(server, { orgId: window.orgId }, "member");
  await page.goto(`${server.url}/o/${window.slug}/people/members/${memberId}`);
  const inspector = page.getByRole("complementary");
  await inspector.getByRole("button", { name: "Remove" }).click();
  await page.evaluate(`{
    const push = history.pushState;
    history.pushState = (...given) => {
      push.apply(history, given);
      if (given[2].endsWith("/people/members")) history.back();
    };
  }`);
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("There is nothing at this address").waitFor();
  await page.waitForURL(`**/people/members/${memberId}`);
});

test("an API key is shown once, and works", async () => {
  const window = await openOrganization("/access/keys");
  const { page } = window;
  await page.getByRole("button", { name: "New API key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("CI");
  // A click beside the dialog loses neither what was typed nor the key.
  await page.mouse.click(5, 400);
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("CI is created").waitFor();
  await page.mouse.click(5, 400);
  const key = (await dialog.locator("code").textContent())!;
  expect((await server.call("/v1/me", { headers: { "x-api-key": key } })).status).toBe(200);
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByText("not used yet").or(page.getByText("now")).first().waitFor();
  expect(await page.content()).not.toContain(key);
  await expectSound(window);
});

test("a directory is connected: base URL and token to copy, then its health", async () => {
  const window = await openOrganization("/access/scim");
  const { page } = window;
  await page.getByRole("button", { name: "Connect a directory" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Connect a directory" }).click();
  const [baseUrl, token] = await Promise.all(
    [0, 1].map((i) => dialog.locator("code").nth(i).textContent({ timeout: 10_000 })),
  );
  const reply = await fetch(`${baseUrl}/Users?count=1`, { headers: { authorization: `Bearer ${token}` } });
  expect(reply.status).toBe(200);
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByText("Working").waitFor({ timeout: 20_000 });
  await expectSound(window);
});

test("an identity provider is connected with its guide, and refused with the reason when it does not answer", async () => {
  const window = await openOrganization("/access/sso");
  const { page } = window;
  await page.getByRole("button", { name: "New connector" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Keycloak" }).click();
  await dialog.getByText("Clients → Create client").waitFor();
  await dialog.getByLabel("Name").fill("Keycloak");
  await dialog.getByLabel("Issuer").fill("http://127.0.0.1:9/realms/acme");
  await dialog.getByLabel("Client id").fill("signalbox");
  await dialog.getByRole("button", { name: "Create connector" }).click();
  await dialog.getByRole("alert").first().waitFor();
  await expect.poll(() => dialog.getByRole("alert").allTextContents()).not.toEqual([""]);
  expect(await dialog.getByLabel("Client id").inputValue()).toBe("signalbox");
  await expectSound(window);
});

test("the palette invites somebody from every page, also from this one", async () => {
  const { page } = await openOrganization("/people/members");
  await page.getByRole("heading", { name: "People", level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("invite");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Invite someone" }).waitFor();
});

test("an admin sees no button that changes an owner or rotates the key of somebody else", async () => {
  const window = await openOrganization("/people/members", "admin");
  const { page, slug, owner } = window;
  const { body } = await server.call("/v1/members?role=owner", { headers: owner.auth });
  await page.goto(`${server.url}/o/${slug}/people/members/${body.items[0].id}`);
  const inspector = page.getByRole("complementary");
  await inspector.getByText("Member since").waitFor();
  expect(await inspector.getByRole("button", { name: /Remove|Deactivate|Make owner/ }).count()).toBe(0);
  expect(await inspector.getByRole("combobox").count()).toBe(0);

  await server.call("/v1/api-keys", { body: { name: "Of the owner" }, headers: owner.auth });
  await page.goto(`${server.url}/o/${slug}/access/keys`);
  await page.getByRole("button", { name: /Of the owner/ }).click();
  await page.getByRole("menuitem", { name: "Remove" }).waitFor();
  expect(await page.getByRole("menuitem", { name: "Rotate" }).count()).toBe(0);
});

test("who transfers the ownership is an admin at once, on this page too", async () => {
  const window = await openOrganization("/people/members");
  const { page, slug } = window;
  const heir = await joinWorkspace(server, { orgId: window.orgId }, "member");
  const other = await joinWorkspace(server, { orgId: window.orgId }, "member");
  await page.goto(`${server.url}/o/${slug}/people/members/${heir.memberId}`);
  const inspector = page.getByRole("complementary");
  await inspector.getByRole("button", { name: "Make owner" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Make owner" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Settings", exact: true }).click();
  await page.getByRole("link", { name: "Leave or delete" }).click();
  await page.getByRole("button", { name: "Leave", exact: true }).waitFor();
  await expect.poll(() => page.getByRole("button", { name: /Delete/ }).count()).toBe(0);
  await page.goto(`${server.url}/o/${slug}/people/members/${other.memberId}`);
  await inspector.getByRole("button", { name: "Remove" }).waitFor();
  expect(await inspector.getByRole("button", { name: "Make owner" }).count()).toBe(0);
});

test("a reply after its dialog was closed leaves the next dialog open", async () => {
  const workspace = await createWorkspace(server, "Late");
  const member = await joinWorkspace(server, workspace, "member");
  const address = `/o/late/people/members/${member.memberId}`;
  const { page } = await openWindow(browser, server, address, workspace.owner);
  const { promise: asked, resolve: reply } = Promise.withResolvers<void>();
  await page.route("**/deactivate", async (route) => {
    await asked;
    await route.continue();
  });
  const dialog = page.getByRole("dialog");
  const inspector = page.getByRole("complementary");
  await inspector.getByRole("button", { name: "Deactivate" }).click();
  await dialog.getByRole("button", { name: "Deactivate" }).click();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await inspector.getByRole("button", { name: "Remove" }).click();
  await dialog.getByRole("heading", { name: /^Remove / }).waitFor();
  reply();
  await page.getByText("has no access now").waitFor();
  // A dialog that closes is on the page for a moment.
  await page.waitForTimeout(500);
  expect(await dialog.getByRole("heading", { name: /^Remove / }).isVisible()).toBe(true);
});
