import { type Browser, chromium as playwright } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { chromium } from "../chromium.ts";

/** A real browser, one for all tests of a file. */
export function useBrowser(): { current: Browser } {
  const holder = {} as { current: Browser };
  beforeAll(async () => {
    holder.current = await playwright.launch({ ...(await chromium()), headless: true });
  });
  afterAll(() => holder.current?.close());
  return holder;
}
