import { expect, test } from "vitest";
import { createWorkspace, useServer } from "../../harness.ts";
import { openWindow, useBrowser } from "../browser.ts";

const server = useServer();
const browser = useBrowser();

/** The compressed bytes of all scripts that the page has loaded. */
const measureScripts = `performance.getEntriesByType("resource")
  .filter(({ initiatorType, name }) => initiatorType === "script" || name.endsWith(".js"))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;

test("the first page loads less than 200 kB of compressed scripts", async () => {
  const { owner } = await createWorkspace(server);
  for (const person of [undefined, owner]) {
    const { page } = await openWindow(browser, server, "/", person);
    await page.locator("h1").first().waitFor();
    const bytes = await page.evaluate<number>(measureScripts);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(200_000);
  }
});

test("the console cannot be framed, runs no inline code and asks no other host", async () => {
  const reply = await fetch(`${server.url}/sign-in`, { headers: { accept: "text/html" } });
  const policy = reply.headers.get("content-security-policy") ?? "";
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ])
    expect(policy).toContain(part);
  expect(policy).not.toContain("unsafe");
  expect(await reply.text()).not.toMatch(/<script>|<style|style=|onclick=/);
});

test("files with a hash in their name are kept by browsers, pages are asked for again", async () => {
  const page = await fetch(`${server.url}/sign-in`, { headers: { accept: "text/html" } });
  expect(page.headers.get("cache-control")).toBe("no-cache");
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())![1]!;
  const file = await fetch(server.url + script);
  expect(file.headers.get("cache-control")).toContain("immutable");
});

test("a path that is no page and no route stays a 404", async () => {
  for (const path of ["/nothing", "/assets/nothing.js", "/v1/nothing"])
    expect((await fetch(server.url + path, { headers: { accept: "application/json" } })).status).toBe(404);
});
