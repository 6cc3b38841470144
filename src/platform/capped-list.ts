/** Keeps the first items of a list that may be long, and counts all of them. */
export interface CappedList<Item> {
  add(item: Item): void;
  readonly items: readonly Item[];
  /** Counts every added item, also items that are not kept. */
  readonly count: number;
}

export interface CappedListOptions<Item> {
  /** Maximum number of items to keep. */
  items: number;
  /** Maximum total size of the kept items, as measured by `measureSize`. */
  bytes: number;
  measureSize(item: Item): number;
}

export function createCappedList<Item>({
  items: maxItems,
  bytes,
  measureSize,
}: CappedListOptions<Item>): CappedList<Item> {
  const items: Item[] = [];
  let count = 0;
  let size = 0;
  let isFull = false;
  return {
    items,
    get count() {
      return count;
    },
    add(item) {
      count++;
      if (isFull) return;
      size += measureSize(item);
      // The list stays full, so that the kept items are the first ones without a gap.
      isFull = items.length >= maxItems || size > bytes;
      if (!isFull) items.push(item);
    },
  };
}
