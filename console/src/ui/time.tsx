import { useEffect, useState, useSyncExternalStore } from "react";
import { formatCost, formatDate, formatDuration, formatExact, formatWhen, shortenId } from "../lib/format.ts";
import { common } from "../texts/common.ts";
import { CopyText } from "./copy.tsx";

/** One timer for all times on the page. */
const ticker = (() => {
  const listeners = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = () => {
    now = Date.now();
    for (const each of listeners) each();
  };
  return {
    subscribe(listener: () => void) {
      // Without a time on the page no timer was running.
      if (timer === undefined) now = Date.now();
      listeners.add(listener);
      timer ??= setInterval(tick, 10_000);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    now: () => now,
  };
})();

/** The time now, renewed every ten seconds. */
export const useNow = (): number => useSyncExternalStore(ticker.subscribe, ticker.now);

/** A point in time in the reader's zone, with the exact time on hover. */
export function Time({ at, form = "when" }: { at: number | null | undefined; form?: "when" | "date" }) {
  const now = useNow();
  if (at === null || at === undefined) return <span className="t3">{common.none}</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={formatExact(at)} className="num">
      {form === "when" ? formatWhen(at, now) : formatDate(at, now)}
    </time>
  );
}

/** How long something took. While it has no end, it counts up every second. */
export function Duration({ from, to }: { from: number; to: number | null | undefined }) {
  const [now, setNow] = useState(Date.now);
  const isOpen = to === null || to === undefined;
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isOpen]);
  return <span className="num">{formatDuration(Math.max(0, (isOpen ? now : to) - from))}</span>;
}

/** An amount, or a dash where none is known. Unpriced is not zero. */
export const Cost = ({ micros, decimals = 2 }: { micros: number | null | undefined; decimals?: 2 | 4 }) =>
  micros === null || micros === undefined ? (
    <span className="t3">{common.none}</span>
  ) : (
    <span className="num">{formatCost(micros, decimals)}</span>
  );

/** An id in short form. A click copies all of it. */
export const Id = ({ id }: { id: string }) => <CopyText value={id} shown={shortenId(id)} />;
