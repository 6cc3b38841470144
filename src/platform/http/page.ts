import { z } from "zod";
import { type ListSource, scan } from "../db/index.ts";
import { invalidField } from "../errors.ts";
import { idCursor } from "./cursor.ts";

/** The query of every list. Rows come newest first, which for our ids is descending. */
export const pageQuery = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(50)
    .describe("The maximum number of items to return."),
  cursor: z.string().max(500).optional().describe("`nextCursor` of the page before."),
});

export type PageQuery = z.output<typeof pageQuery>;

export const definePage = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().nullable() });

/** Sorts after every id. */
const afterAllIds = "~";

/**
 * The page contains ids before this one. The first page starts after all ids, so every page is the same statement. The
 * cursor of a list with other ids is refused: it would return the first page again, or an empty one.
 */
export function readIdCursor(query: PageQuery, prefix: string): string {
  const after = idCursor.read(query, afterAllIds);
  if (after !== afterAllIds && !after.startsWith(`${prefix}_`))
    throw invalidField(["cursor"], "This cursor belongs to another list. Start without one.");
  return after;
}

export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** `rows` were read with `limit + 1`. One more row than the limit means that there is a next page. */
export function cutPage<Row>(
  rows: readonly Row[],
  { limit }: Pick<PageQuery, "limit">,
  writeCursor: (last: Row) => string,
): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? writeCursor(last) : null };
}

/** `cutPage` for rows that are sorted by id. */
export const cutPageById = <Row extends { id: string }>(rows: readonly Row[], query: PageQuery): Page<Row> =>
  cutPage(rows, query, ({ id }) => idCursor.write(id));

/**
 * Reads a page of a list with filters. It can be short or empty and still have a `nextCursor`: the rest is not examined
 * yet.
 */
export async function readPage<Row extends { id: string }>(
  source: ListSource<Row>,
  query: PageQuery,
  prefix: string,
): Promise<Page<Row>> {
  const { rows, resumeAfter } = await scan(source, readIdCursor(query, prefix), query.limit + 1);
  const { items, nextCursor } = cutPageById(rows, query);
  return { items, nextCursor: nextCursor ?? (resumeAfter === null ? null : idCursor.write(resumeAfter)) };
}
