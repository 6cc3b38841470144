import { constants } from "node:os";

/** Ctrl-C under npm arrives twice, from the terminal and from npm. Both count as one. */
const samePressMs = 300;

/** Aborts at the first SIGINT or SIGTERM. The second one ends the process at once. */
export function createStopSignal(stopsGracefully: boolean): AbortSignal {
  const stop = new AbortController();
  let first: number | undefined;
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (first !== undefined && Date.now() - first < samePressMs) return;
      if (first !== undefined || !stopsGracefully) process.exit(128 + constants.signals[name]);
      first = Date.now();
      stop.abort();
    });
  }
  return stop.signal;
}

/**
 * Aborts at SIGTERM. For a process that another process of the same program stops: a key press in the terminal reaches
 * both, and only the other one decides.
 */
export function createChildStopSignal(): AbortSignal {
  const stop = new AbortController();
  process.on("SIGTERM", () => stop.abort());
  for (const name of ["SIGINT", "SIGHUP"] as const) process.on(name, () => {});
  return stop.signal;
}
