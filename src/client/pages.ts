export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

const maxPageSize = 100;

/** Reads pages until it has the first `limit` items of a list. */
export async function collect<Item>(
  limit: number,
  readPage: (query: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>,
): Promise<Page<Item>> {
  const items: Item[] = [];
  let cursor: string | undefined;
  while (items.length < limit) {
    const page = await readPage({ limit: Math.min(limit - items.length, maxPageSize), cursor });
    items.push(...page.items);
    if (page.nextCursor === null) return { items, nextCursor: null };
    cursor = page.nextCursor;
  }
  return { items, nextCursor: cursor ?? null };
}
