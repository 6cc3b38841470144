import type { Browser } from "playwright-core";
import { expect } from "vitest";
import {
  createWorkspace,
  joinWorkspace,
  type Person,
  type TestServer,
  type Workspace,
} from "../../harness.ts";
import { openWindow, violations, type Window } from "../browser.ts";

export interface OrganizationWindow extends Window {
  workspace: Workspace;
  person: Person;
  slug: string;
}

interface OpenOptions {
  /** A new organization without it. */
  workspace?: Workspace;
  /** The role of a new member. Without it, the owner opens the page. */
  role?: string;
}

/** Opens a page of the console as a member of an organization. */
export async function openOrganization(
  browser: { current: Browser },
  server: TestServer,
  path: string,
  { workspace: given, role }: OpenOptions = {},
): Promise<OrganizationWindow> {
  const workspace = given ?? (await createWorkspace(server));
  const person = role === undefined ? workspace.owner : await joinWorkspace(server, workspace, role);
  const { body } = await server.call("/v1/organization", { headers: workspace.owner.auth });
  const { slug } = body.organization;
  // A member of a role without a session in this organization chooses it by the address.
  const window = await openWindow(browser, server, `/o/${slug}${path}`, person);
  return { ...window, workspace, person, slug };
}

/** Nothing for axe in light and dark, nothing wider than a phone, and no error in the browser's console. */
export async function expectSound({ page, complaints }: Window): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    expect(await violations(page), colorScheme).toEqual([]);
  }
  const size = page.viewportSize()!;
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  await page.setViewportSize(size);
  expect(complaints).toEqual([]);
}
