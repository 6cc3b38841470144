import { existsSync } from "node:fs";
import bundled from "@sparticuz/chromium";

/** Where a browser of one's own is named, else where systems keep theirs. */
const chromiumPaths = [
  process.env.TEST_CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The one that comes with the dependencies was built for this kind of machine alone. */
const bundledFits = process.platform === "linux" && process.arch === "x64";

const ownPath = (): string | undefined => chromiumPaths.find((path) => path && existsSync(path));

export const isChromiumInstalled = (): boolean => bundledFits || ownPath() !== undefined;

/** A real browser: the installed one, otherwise the one from the dependencies on platforms where it runs. */
export async function chromium(): Promise<{ executablePath: string; args: string[] }> {
  const quiet = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
  ];
  const own = ownPath();
  if (own)
    return { executablePath: own, args: ["--no-sandbox", "--disable-gpu", "--disable-quic", ...quiet] };
  if (!bundledFits) throw new Error("There is no Chromium here. Install one, or name it in TEST_CHROMIUM.");
  // With a single process, closing a window sometimes closes the whole browser.
  const args = bundled.args.filter((arg) => arg !== "--single-process" && arg !== "--no-zygote");
  return { executablePath: await bundled.executablePath(), args: [...args, ...quiet] };
}
