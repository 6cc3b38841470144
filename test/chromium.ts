import { existsSync } from "node:fs";
import bundled from "@sparticuz/chromium";

/** Where a browser of one's own is named, else where systems keep theirs. */
const ownPlaces = [
  process.env.TEST_CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The one that comes with the dependencies was built for this kind of machine alone. */
const bundledFits = process.platform === "linux" && process.arch === "x64";

const ownPath = (): string | undefined => ownPlaces.find((path) => path && existsSync(path));

export const chromiumIsThere = (): boolean => bundledFits || ownPath() !== undefined;

/** A real browser: nothing is installed by hand where the bundled one runs. */
export async function chromium(): Promise<{ executablePath: string; args: string[] }> {
  const quiet = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
  ];
  if (bundledFits)
    return { executablePath: await bundled.executablePath(), args: [...bundled.args, ...quiet] };
  const executablePath = ownPath();
  if (!executablePath)
    throw new Error("There is no Chromium here. Install one, or name it in TEST_CHROMIUM.");
  return { executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-quic", ...quiet] };
}
