export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

type ReadPage<Item> = (query: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>;

const maxPageSize = 100;

/** Yields all items of a list. Reads the next page when it is needed. */
export async function* iteratePages<Item>(readPage: ReadPage<Item>): AsyncGenerator<Item> {
  let cursor: string | undefined;
  do {
    const page = await readPage({ limit: maxPageSize, cursor });
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** Reads pages until it has the first `limit` items of a list. */
export async function collectPages<Item>(limit: number, readPage: ReadPage<Item>): Promise<Page<Item>> {
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
