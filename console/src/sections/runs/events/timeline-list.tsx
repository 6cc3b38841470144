import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import { runs } from "../../../texts/runs.ts";
import { EventRow, type RowFacts } from "./event-row.tsx";
import { FollowPill } from "./follow-pill.tsx";
import type { EventKind, TimelineRow } from "./timeline.ts";
import { useFollow } from "./use-follow.ts";

/** The height of a row before it is measured. */
const heights: Record<EventKind, number> = {
  user: 84,
  assistant: 60,
  capability_search: 38,
  capability_execution: 38,
  usage: 38,
  warning: 40,
  terminal: 64,
  attempt: 38,
};

interface TimelineListProps {
  rows: readonly TimelineRow[];
  facts: RowFacts;
  /** Whether events may still arrive. */
  isLive: boolean;
  /** The number of events, for the note on new ones. */
  total: number;
}

/** The rows of a run. Only those in view are in the document, however long the run is. */
export function TimelineList({ rows, facts, isLive, total }: TimelineListProps) {
  const list = useRef<HTMLOListElement>(null);
  const offset = useOffset(list);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((key: string) => {
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(key)) after.add(key);
      return after;
    });
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (i) => heights[rows[i]!.kind] ?? heights.assistant,
    getItemKey: (i) => rows[i]!.key,
    overscan: 4,
    scrollMargin: offset,
  });
  const height = virtual.getTotalSize();
  const follow = useFollow({ list, isLive, height, total });
  return (
    <>
      <ol ref={list} className="tl" aria-label={runs.run.followers} style={{ height }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index]!;
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="tl-row"
              aria-posinset={index + 1}
              aria-setsize={rows.length}
              style={{ transform: `translateY(${start - offset}px)` }}
            >
              <EventRow row={row} facts={facts} isOpen={open.has(row.key)} onToggle={toggle} />
            </li>
          );
        })}
      </ol>
      {isLive && <FollowPill {...follow} />}
    </>
  );
}

/**
 * Where the list begins in the page. It is measured again after the browser has computed the layout of a change: to
 * ask earlier makes the browser compute it one more time for each drawing.
 */
function useOffset(list: RefObject<HTMLElement | null>): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const element = list.current!;
    const measure = () => {
      const top = element.getBoundingClientRect().top + window.scrollY;
      setOffset((before) => (Math.abs(top - before) > 0.5 ? top : before));
    };
    measure();
    // What stands above changes the height of one of them.
    const observer = new ResizeObserver(measure);
    observer.observe(element.parentElement!);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [list]);
  return offset;
}
