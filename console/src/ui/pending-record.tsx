import { shortenId } from "../lib/format.ts";
import { Failure, Skeleton } from "./feedback.tsx";
import { Bar, useTitle } from "./page.tsx";

interface PendingRecordProps {
  id: string;
  /** Where the record is listed. */
  list: { label: string; to: string };
  query: { error: unknown; refetch(): unknown };
  /** What could not be loaded: "The run". */
  what: string;
}

/** In place of the page of a record that is still being read, or cannot be. */
export function PendingRecord({ id, list, query, what }: PendingRecordProps) {
  useTitle(list.label);
  return (
    <>
      <Bar crumbs={[list, { label: <span className="mono">{shortenId(id)}</span> }]} />
      <div className="page">
        {query.error ? (
          <Failure error={query.error} what={what} onRetry={() => void query.refetch()} list={list} />
        ) : (
          <Skeleton rows={8} />
        )}
      </div>
    </>
  );
}
