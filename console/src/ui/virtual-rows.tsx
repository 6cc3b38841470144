import { useVirtualizer, useWindowVirtualizer } from "@tanstack/react-virtual";
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

/** What scrolls the rows: the panel of a record that is open beside a list, or the window. */
const findPanel = (body: HTMLElement): HTMLElement | null => body.closest<HTMLElement>(".insp");

/** Draws the rows of a long table that are visible. Empty rows take the place of the others. */
export default function VirtualRows(props: Props) {
  const { body } = props;
  const [place, setPlace] = useState<{ panel: HTMLElement | null; offset: number }>();
  useLayoutEffect(() => {
    if (!body.current) return;
    const panel = findPanel(body.current);
    const { top } = body.current.getBoundingClientRect();
    const offset = panel ? top - panel.getBoundingClientRect().top + panel.scrollTop : top + window.scrollY;
    setPlace({ panel, offset });
  }, [body]);
  if (!place) return <Spacer height={props.count * props.height} columns={props.columns} />;
  return place.panel ? (
    <RowsOfPanel {...props} panel={place.panel} offset={place.offset} />
  ) : (
    <RowsOfWindow {...props} offset={place.offset} />
  );
}

const describeRows = ({ count, height, keyOf, offset }: Props & { offset: number }) => ({
  count,
  estimateSize: () => height,
  overscan: 12,
  scrollMargin: offset,
  getItemKey: keyOf,
});

function RowsOfWindow(props: Props & { offset: number }) {
  const virtual = useWindowVirtualizer(describeRows(props));
  return <Rows {...props} items={virtual.getVirtualItems()} size={virtual.getTotalSize()} />;
}

function RowsOfPanel({ panel, ...props }: Props & { offset: number; panel: HTMLElement }) {
  const virtual = useVirtualizer({ ...describeRows(props), getScrollElement: () => panel });
  return <Rows {...props} items={virtual.getVirtualItems()} size={virtual.getTotalSize()} />;
}

interface RowsProps extends Props {
  offset: number;
  items: readonly { index: number; start: number; end: number }[];
  size: number;
}

function Rows({ columns, draw, offset, items, size }: RowsProps) {
  const before = (items[0]?.start ?? offset) - offset;
  const last = items.at(-1);
  const after = last ? size - (last.end - offset) : 0;
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
