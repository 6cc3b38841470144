import { type Page, chromium as playwright, type Request } from "playwright-core";
import { chromium } from "../test/chromium.ts";
import {
  type Bench,
  type BenchOptions,
  createCaller,
  type Figure,
  listEngines,
  median,
  startChild,
  withInstance,
} from "./measure.ts";

const eventCount = 10_000;

/** What the web console costs a browser: its first page, and a run with 10,000 events. */
export const consolePages: Bench = async (options) => {
  // The engine does not matter to the browser. One is enough.
  const [engine] = await listEngines(options);
  return withInstance(engine!, async (place) => {
    const product = await startChild("bench/product.ts", place);
    try {
      return await measurePages(product.url, options);
    } finally {
      await product.stop();
    }
  });
};

async function measurePages(url: string, { rounds, logProgress }: BenchOptions): Promise<Figure[]> {
  const { token, keys } = await createCaller(url);
  const key = keys[0]!;
  const slug = await findSlug(url, key);
  logProgress(`a run with ${eventCount} events`);
  const run = await reportRun(url, key);
  const browser = await playwright.launch({ ...(await chromium()), headless: true });
  const open = async () => {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: "reduce",
    });
    const cookie = { name: "signalbox_session", value: token, httpOnly: true, sameSite: "Lax" as const };
    await context.addCookies([{ ...cookie, url }]);
    return context.newPage();
  };
  try {
    logProgress("the first page");
    const first: number[] = [];
    let bytes = 0;
    for (let round = 0; round < rounds; round++) {
      const page = await open();
      const loaded = await loadFirstPage(page, `${url}/o/${slug}`);
      first.push(loaded.contentMs);
      bytes = loaded.scriptBytes;
      await page.context().close();
    }
    logProgress("the page of the run");
    const worst: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const page = await open();
      worst.push(await useRunPage(page, `${url}/o/${slug}/runs/${run}`));
      await page.context().close();
    }
    return [
      {
        name: "compressed JavaScript of the first page",
        value: bytes / 1000,
        unit: "kB",
        promise: { atMost: 200 },
      },
      {
        name: "first content of the first page",
        value: median(first),
        unit: "ms",
        promise: { atMost: 1000 },
      },
      {
        name: `interaction to next paint, run with ${eventCount} events`,
        value: median(worst),
        unit: "ms",
        promise: { atMost: 100 },
      },
    ];
  } finally {
    await browser.close();
  }
}

/**
 * Opens a page with an empty cache. Counts the compressed bytes of its scripts, without the headers of the replies. The sizes
 * come from the network: some builds of Chromium report 0 to the page.
 */
async function loadFirstPage(page: Page, address: string) {
  const scripts: Request[] = [];
  page.on("requestfinished", (request) => {
    if (new URL(request.url()).pathname.endsWith(".js")) scripts.push(request);
  });
  await page.goto(address);
  await page.locator("h1").first().waitFor();
  await page.waitForLoadState("networkidle").catch(() => {});
  const sizes = await Promise.all(scripts.map((request) => request.sizes()));
  const scriptBytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  if (scriptBytes === 0) throw new Error("The browser did not report the size of any script.");
  const contentMs = await page.evaluate<number>(
    "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN",
  );
  return { contentMs, scriptBytes };
}

/** Uses the page of a run as a person does. Returns the slowest interaction, which is how the measure is defined. */
async function useRunPage(page: Page, address: string): Promise<number> {
  await page.addInitScript(`
    globalThis.interactions = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (entry.interactionId) globalThis.interactions.push(entry.duration);
    }).observe({ type: "event", durationThreshold: 16, buffered: true });
  `);
  await page.goto(address);
  await page
    .getByRole("button", { name: `All ${eventCount.toLocaleString("en")}` })
    .waitFor({ timeout: 120_000 });
  await page.waitForTimeout(1_000);
  await page.evaluate("globalThis.interactions.length = 0");
  for (const kind of [/^Tool calls/, /^Messages/, /^Usage/, /^All/]) {
    await page.getByRole("button", { name: kind }).click();
    await page.waitForTimeout(300);
  }
  for (const fold of await page
    .locator("ol [aria-expanded]")
    .all()
    .then((all) => all.slice(0, 3))) {
    await fold.click();
    await page.waitForTimeout(200);
  }
  await page.getByLabel("Find in run").pressSequentially("step 99", { delay: 60 });
  await page.waitForTimeout(600);
  await page.getByLabel("Find in run").fill("");
  await page.waitForTimeout(600);
  for (const keyName of ["PageDown", "End", "Home", "PageDown"]) {
    await page.keyboard.press(keyName);
    await page.waitForTimeout(200);
  }
  const durations = await page.evaluate<number[]>("globalThis.interactions");
  // Interactions below 16 ms are not reported by the browser.
  return durations.length === 0 ? 16 : Math.max(...durations);
}

async function findSlug(url: string, key: string): Promise<string> {
  const reply = await fetch(`${url}/v1/organization`, { headers: { "x-api-key": key } });
  return ((await reply.json()) as { organization: { slug: string } }).organization.slug;
}

async function reportRun(url: string, key: string): Promise<string> {
  const post = async (path: string, body: unknown = {}) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} failed: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, { id: string }>;
  };
  const { automation } = await post("/v1/automations", {
    name: "Long run",
    instructions: "Do many steps.",
    schedule: { kind: "manual" },
  });
  const { run } = await post(`/v1/automations/${automation!.id}/run`);
  await post(`/v1/automation-runs/${run!.id}/claim`);
  const now = Date.now();
  const events = Array.from({ length: eventCount }, (_, sequence) => ({
    attempt: 1,
    sequence,
    createdAt: now + sequence * 100,
    ...createContent(sequence),
  }));
  for (let from = 0; from < events.length; from += 500)
    await post(`/v1/automation-runs/${run!.id}/events/batch`, { events: events.slice(from, from + 500) });
  return run!.id;
}

/** Messages, calls with arguments and results, and usage, mixed as agents mix them. */
function createContent(sequence: number) {
  if (sequence % 10 === 9)
    return {
      type: "usage",
      payload: { model: "acme-1", inputTokens: 1200, outputTokens: 90, costMicros: 300 },
    };
  if (sequence % 3 === 1)
    return {
      type: "capability_execution",
      payload: {
        name: `tool_${sequence % 7}`,
        input: { step: sequence, path: `src/part-${sequence}.ts` },
        result: "Read 240 lines. ".repeat(1 + (sequence % 5)),
        durationMs: sequence % 900,
      },
    };
  return {
    type: "assistant",
    payload: {
      text: `Step ${sequence}: I compare the two versions. ${"The rest follows. ".repeat(sequence % 6)}`,
    },
  };
}
