import { type ReactNode, useEffect, useRef } from "react";
import { type ListResult, useWhole } from "../lib/queries.ts";
import { common } from "../texts/common.ts";
import { Button } from "./button.tsx";
import { Failure, Skeleton } from "./feedback.tsx";
import { describeProblem } from "./problem.ts";

/** Stands below the rows of a list. Loads the next page when it comes into view, and says when one cannot be read. */
export function RestOfList({ list }: { list: ListResult<unknown> }) {
  const end = useRef<HTMLDivElement>(null);
  const { hasMore, loadMore, keepLoading, isLoadingMore, moreError } = list;
  useEffect(() => {
    if (!end.current || !hasMore) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) keepLoading();
      },
      { rootMargin: "600px" },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  });
  return (
    <div ref={end} className="rest" role="status">
      {isLoadingMore && common.loadingMore}
      {moreError !== undefined && !isLoadingMore && (
        <span className="row wrap">
          <span>{`${common.error.more} ${describeProblem(moreError).message}`}</span>
          <Button size="s" onClick={loadMore}>
            {common.actions.tryNow}
          </Button>
        </span>
      )}
    </div>
  );
}

interface LoadedListProps<Row> {
  list: ListResult<Row>;
  what: string;
  /** How many rows the skeleton has. */
  rows?: number;
  children(rows: readonly Row[]): ReactNode;
}

/** Like `Loaded`, for a list: reads all pages, then shows them together. */
export function LoadedList<Row>({ list, what, rows = 4, children }: LoadedListProps<Row>) {
  const all = useWhole(list);
  if (all === undefined)
    return list.error ? (
      <Failure error={list.error} what={what} onRetry={list.retry} />
    ) : (
      <Skeleton rows={rows} />
    );
  return (
    <>
      {children(all)}
      <RestOfList list={list} />
    </>
  );
}
