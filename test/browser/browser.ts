import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

/** Where there is none for this processor among the dependencies: a Chromium of the machine's own. */
const own = process.env.TEST_CHROMIUM;

/** A real browser that comes with the dependencies: nothing is installed by hand. */
export function useBrowser(): { current: Browser } {
  const holder = {} as { current: Browser };
  beforeAll(async () => {
    holder.current = await playwright.launch({
      executablePath: own ?? (await chromium.executablePath()),
      args: [
        ...(own ? ["--no-sandbox"] : chromium.args),
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
      ],
      headless: true,
    });
  });
  afterAll(() => holder.current?.close());
  return holder;
}
