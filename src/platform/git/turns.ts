import { setImmediate } from "node:timers/promises";

const sliceMs = 10;

/** For long computing: awaited between two pieces of it, it lets others have their turn every so often. */
export function takingTurns(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < sliceMs) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
