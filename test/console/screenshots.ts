/**
 * `npm run screenshots`: starts a service with the demo workspace and renews the pictures of the console that the docs
 * show, in `docs/screenshots`. `--out FOLDER` takes a picture of every page instead, in light and dark, on a phone and on
 * a desktop. `--only NAME` takes some pages only.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Browser, type BrowserContext, chromium as playwright } from "playwright-core";
import { chromium } from "../chromium.ts";
import { type ConsolePage, findAddress, listConsolePages } from "./pages.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    out: { type: "string" },
  },
});
const root = join(import.meta.dirname, "../..");
const program = join(root, "bin/signalbox.mjs");
const out = values.out ?? join(root, "docs/screenshots");
const shown = values.out === undefined ? findShownPictures() : undefined;
const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

interface Demo {
  organization: { slug: string };
  people: { email: string }[];
  password: string;
  key: string;
}

const folder = mkdtempSync(join(tmpdir(), "signalbox-screenshots-"));
const port = await findFreePort();
const url = `http://127.0.0.1:${port}`;
const env = { ...process.env, DATA_DIR: folder, PORT: String(port), HOST: "127.0.0.1", LOG_LEVEL: "warn" };
const demo: Demo = JSON.parse(
  execFileSync(process.execPath, [program, "demo", "--json"], { env, encoding: "utf8" }),
);
const service = spawn(process.execPath, [program, "serve"], { env, stdio: ["ignore", "ignore", "inherit"] });
let browser: Browser | undefined;
try {
  await waitUntilReady(service);
  const all = await listConsolePages(async (path) => {
    const reply = await fetch(url + path, { headers: { "x-api-key": demo.key } });
    return (await reply.json()) as Record<string, unknown>;
  });
  const pages = all.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
  browser = await playwright.launch({ ...(await chromium()), headless: true });
  mkdirSync(out, { recursive: true });
  for (const [device, viewport] of Object.entries(sizes))
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({
        viewport,
        colorScheme,
        reducedMotion: "reduce",
        locale: "en-GB",
        timezoneId: "UTC",
        hasTouch: device === "phone",
        isMobile: device === "phone",
      });
      await signIn(context);
      let count = 0;
      for (const page of pages) {
        const name = `${page.name}-${device}-${colorScheme}`;
        if (shown && !shown.has(name)) continue;
        await takePicture(context, page, name);
        count++;
      }
      await context.close();
      console.log(`${count} pictures, ${device}, ${colorScheme}`);
    }
} finally {
  await browser?.close();
  service.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
}

/** The names of the pictures in the docs. */
function findShownPictures(): Set<string> {
  const texts = ["README.md", "docs/console.md"].map((file) => readFileSync(join(root, file), "utf8"));
  return new Set([...texts.join("\n").matchAll(/screenshots\/([\w-]+)\.webp/g)].map(([, name]) => name!));
}

async function signIn(context: BrowserContext): Promise<void> {
  const reply = await context.request.post(`${url}/api/auth/sign-in/email`, {
    data: { email: demo.people[0]!.email, password: demo.password },
    headers: { origin: url },
  });
  if (!reply.ok()) throw new Error(`The demo's owner could not sign in: ${reply.status()}.`);
}

async function takePicture(context: BrowserContext, page: ConsolePage, name: string): Promise<void> {
  const tab = await context.newPage();
  await tab.goto(url + findAddress(demo.organization.slug, page));
  await tab.locator("h1").first().waitFor();
  await tab.waitForLoadState("networkidle");
  const session = await context.newCDPSession(tab);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 80 });
  writeFileSync(join(out, `${name}.webp`), Buffer.from(data, "base64"));
  await tab.close();
}

async function waitUntilReady(process: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 120; tries++) {
    if (process.exitCode !== null) throw new Error(`The service ended with ${process.exitCode}.`);
    const reply = await fetch(`${url}/ready`).catch(() => undefined);
    if (reply?.ok) return;
    await new Promise((done) => setTimeout(done, 500));
  }
  throw new Error("The service was not ready in a minute.");
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}
