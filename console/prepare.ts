/**
 * Runs after `npm ci`: builds the console, so that `npm start` serves it. Without the development tools it cannot be
 * built; the service then runs without it, and its pages say how to build it.
 */
const vite = await import("vite").catch(() => undefined);
if (vite) await vite.build({ root: import.meta.dirname, logLevel: "warn" });
else console.log("The console was not built, because the development tools are not installed.");
