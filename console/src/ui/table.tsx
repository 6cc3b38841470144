import { Link, useNavigate } from "@tanstack/react-router";
import { lazy, type MouseEvent, type ReactNode, Suspense, useRef } from "react";
import type { ListResult } from "../lib/queries.ts";
import { common } from "../texts/common.ts";
import { Failure, Skeleton } from "./feedback.tsx";
import { RestOfList } from "./loaded-list.tsx";

export interface Column<Row> {
  head: ReactNode;
  cell(row: Row): ReactNode;
  /** Numbers stand at the right. */
  align?: "r";
  /** On a phone, `hide` leaves the column out, and `label` shows its head before the value. */
  phone?: "hide" | "label";
  /** The name of the row, which links to it. One column has it. */
  isName?: boolean;
  className?: string;
}

interface TableProps<Row> {
  label: string;
  /** What the rows are, for the message when they cannot be loaded: "The runs". */
  what: string;
  list: ListResult<Row> | Pick<ListResult<Row>, "rows">;
  columns: readonly Column<Row>[];
  rowKey(row: Row): string;
  /** Where a row leads. Undefined for a row that leads nowhere. */
  to?(row: Row): { to: string; search?: Record<string, unknown> } | undefined;
  selected?: string | undefined;
  empty: ReactNode;
  /** Rows of two lines. */
  tall?: boolean;
}

const rowHeights = { one: 41, two: 53 };
/** Longer lists draw only what is visible. */
const virtualFrom = 100;
// Most lists are short, so this is loaded with the first long one.
const VirtualRows = lazy(() => import("./virtual-rows.tsx"));

/** A list as a table, as two-line rows on a phone. Loads more while one scrolls; `j`, `k` and Enter work. */
export function DataTable<Row>({
  label,
  what,
  list,
  columns,
  rowKey,
  to,
  selected,
  empty,
  tall = false,
}: TableProps<Row>) {
  const { rows } = list;
  const full = "isLoading" in list ? list : undefined;
  const body = useRef<HTMLTableSectionElement>(null);
  const isVirtual = rows.length > virtualFrom;
  if (full?.error && rows.length === 0)
    return <Failure error={full.error} what={what} onRetry={full.retry} />;
  if (full?.isLoading) return <Skeleton rows={6} />;
  // A filter of the page may match only rows that have not been read yet.
  if (rows.length === 0 && full?.hasMore)
    return (
      <>
        {full.moreError === undefined && <Skeleton rows={3} />}
        <RestOfList list={full} />
      </>
    );
  if (rows.length === 0) return empty;

  const draw = (row: Row) => (
    <RowView
      key={rowKey(row)}
      row={row}
      columns={columns}
      to={to?.(row)}
      isSelected={rowKey(row) === selected}
    />
  );
  return (
    <>
      <table className={`tbl fold-p${tall ? " two" : ""}`} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ head, align, phone }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a table never change.
              <th key={i} scope="col" className={`${align ?? ""}${phone === "hide" ? " no-phone" : ""}`}>
                {head === "" ? <span className="vh">{common.actions.actions}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {isVirtual ? (
            <Suspense fallback={rows.slice(0, virtualFrom).map(draw)}>
              <VirtualRows
                body={body}
                count={rows.length}
                columns={columns.length}
                height={tall ? rowHeights.two : rowHeights.one}
                keyOf={(i) => rowKey(rows[i]!)}
                draw={(i) => draw(rows[i]!)}
              />
            </Suspense>
          ) : (
            rows.map(draw)
          )}
        </tbody>
      </table>
      {full && <RestOfList list={full} />}
    </>
  );
}

interface RowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  to: { to: string; search?: Record<string, unknown> } | undefined;
  isSelected: boolean;
}

function RowView<Item>({ row, columns, to, isSelected }: RowProps<Item>) {
  const navigate = useNavigate();
  // The whole row is a target for the pointer. The keyboard uses the link in it.
  const open = (event: MouseEvent<HTMLElement>) => {
    if (!to || event.defaultPrevented || (event.target as HTMLElement).closest("a, button, input, select"))
      return;
    if (window.getSelection()?.toString()) return;
    void navigate({ to: to.to, search: (to.search ?? {}) as never });
  };
  return (
    <tr className={`${isSelected ? "sel" : ""}${to ? " door" : ""}`} onClick={open}>
      {columns.map(({ head, cell, align, phone, isName, className }, i) => (
        <td
          // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a table never change.
          key={i}
          className={`${align ?? ""}${phone === "hide" ? " no-phone" : ""}${isName ? " name" : ""}${head === "" ? " acts" : ""}${className ? ` ${className}` : ""}`}
          data-label={phone === "label" ? head : undefined}
        >
          {isName && to ? (
            <Link
              to={to.to}
              search={(to.search ?? {}) as never}
              className="strong"
              data-row
              aria-current={isSelected || undefined}
            >
              {cell(row)}
            </Link>
          ) : (
            cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}
