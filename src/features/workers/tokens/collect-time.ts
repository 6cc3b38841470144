/** From this many items a second on, collecting them costs less than writing each. */
const manyPerSecond = 20;

/** Decides how long items wait for others: not at all while there are few, `ms` while there are many. */
export function createCollectTime(ms: number, now: () => number = () => performance.now()) {
  let second = Math.floor(now() / 1000);
  let current = 0;
  let previous = 0;
  const advance = () => {
    const next = Math.floor(now() / 1000);
    if (next === second) return;
    previous = next === second + 1 ? current : 0;
    current = 0;
    second = next;
  };
  return {
    note(): void {
      advance();
      current++;
    },
    waitMs(): number {
      advance();
      return Math.max(current, previous) >= manyPerSecond ? ms : 0;
    },
  };
}
