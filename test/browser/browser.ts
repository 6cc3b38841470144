import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

/** A real browser that comes with the dependencies: nothing is installed by hand. */
export function useBrowser(): { current: Browser } {
  const holder = {} as { current: Browser };
  beforeAll(async () => {
    holder.current = await playwright.launch({
      executablePath: await chromium.executablePath(),
      args: [
        ...chromium.args,
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
