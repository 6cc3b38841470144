import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type RefObject, useLayoutEffect, useState } from "react";

interface Props {
  /** The part of the table that the rows are in. */
  body: RefObject<HTMLElement | null>;
  count: number;
  columns: number;
  /** The usual height of a row. */
  height: number;
  keyOf(index: number): string;
  draw(index: number): ReactNode;
}

/** Draws the rows of a long table that are visible. Empty rows take the place of the others. */
export default function VirtualRows({ body, count, columns, height, keyOf, draw }: Props) {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    if (body.current) setOffset(body.current.getBoundingClientRect().top + window.scrollY);
  }, [body]);
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: offset,
    getItemKey: keyOf,
  });
  const items = virtual.getVirtualItems();
  const before = (items[0]?.start ?? offset) - offset;
  const last = items.at(-1);
  const after = last ? virtual.getTotalSize() - (last.end - offset) : 0;
  return (
    <>
      {before > 0 && <Spacer height={before} columns={columns} />}
      {items.map(({ index }) => draw(index))}
      {after > 0 && <Spacer height={after} columns={columns} />}
    </>
  );
}

const Spacer = ({ height, columns }: { height: number; columns: number }) => (
  <tr className="spacer" aria-hidden>
    <td colSpan={columns} style={{ height }} />
  </tr>
);
