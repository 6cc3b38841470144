/** The first items of something that may be long, and how many there were. */
export interface CappedList<Item> {
  add(item: Item): void;
  readonly items: readonly Item[];
  /** Exact, also beyond what is kept. */
  readonly count: number;
}

export interface CappedListOptions<Item> {
  /** The most items that are kept. */
  items: number;
  /** The most that the items may be together, as `sizeOf` measures them. */
  bytes: number;
  sizeOf(item: Item): number;
}

export function createCappedList<Item>({
  items: most,
  bytes,
  sizeOf,
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
      size += sizeOf(item);
      // Full for good: the items that are kept are the first ones, without a gap.
      isFull = items.length >= most || size > bytes;
      if (!isFull) items.push(item);
    },
  };
}
