import type { Page } from "playwright-core";
import { expect } from "vitest";
import { sql } from "../../../src/platform/db/index.ts";
import type { Person, TestServer } from "../../harness.ts";
import { violations } from "../browser.ts";

/** No accessibility violation in light and in dark, and nothing wider than the window, on a phone and on a desktop. */
export async function expectGoodPage(page: Page): Promise<void> {
  // The address changes before the page is drawn.
  await page.locator("h1").first().waitFor();
  const scheme = await page.evaluate<string>(
    "matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'",
  );
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    expect(await violations(page), colorScheme).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: scheme as "light" | "dark" });
  const size = page.viewportSize()!;
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  await page.setViewportSize(size);
}

/** Makes the sign-in of every session of this person older than routes that need a fresh one accept. */
export async function ageSessions(server: TestServer, { userId }: Pick<Person, "userId">): Promise<void> {
  await server.platform.db.run(
    sql`update sessions set created_at = now() - interval '1 hour', reauthenticated_at = null where user_id = ${userId}`,
  );
}

/** Ends every session of this person on the server, as if it had expired. */
export async function endSessions(server: TestServer, { userId }: Pick<Person, "userId">): Promise<void> {
  await server.platform.db.run(sql`delete from sessions where user_id = ${userId}`);
}

export const field = (page: Page, label: string | RegExp) =>
  page.getByLabel(label, { exact: typeof label === "string" });
export const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" });
export const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name }).first();

/** The path of a workspace's page in the console. */
export async function findPath(
  server: TestServer,
  owner: Pick<Person, "auth">,
  path: string,
): Promise<string> {
  const { body } = await server.call("/v1/organization", { headers: owner.auth });
  return `/o/${body.organization.slug}${path}`;
}
