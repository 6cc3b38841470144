import { z } from "zod";
import { type ListSource, scan } from "../db/index.ts";
import { invalidField } from "../errors.ts";

/** The query of every list. Rows come newest first, which for our ids is descending. */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(50).describe("How many to return at most."),
  cursor: z.string().max(500).optional().describe("`nextCursor` of the page before."),
});

export type PageQuery = z.output<typeof pageQuery>;

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().nullable() });

/** Sorts behind every id. */
const beyondAll = "~";

/**
 * The page holds what sorts before this id. Opaque to the caller; for the first page it is beyond all ids,
 * so that a list is one statement, `id < after`, that reads its page from the index and nothing else.
 */
export function afterOf({ cursor }: PageQuery): string {
  if (cursor === undefined) return beyondAll;
  const id = Buffer.from(cursor, "base64url").toString("utf8");
  if (!/^[a-z]+_[0-9a-z]{26}$/.test(id))
    throw invalidField(["cursor"], "This is not a cursor of ours. Start without one.");
  return id;
}

/** `rows` were asked for with `limit + 1`: the one too many says that there is a next page. */
export function page<Row extends { id: string }>(
  rows: Row[],
  { limit }: PageQuery,
): { items: Row[]; nextCursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    nextCursor: rows.length > limit && last ? cursorAfter(last.id) : null,
  };
}

const cursorAfter = (id: string) => Buffer.from(id).toString("base64url");

/**
 * Reads a page of a list with filters. It can be short or empty and still have a `nextCursor`: the rest is not examined
 * yet.
 */
export async function readPage<Row extends { id: string }>(
  source: ListSource<Row>,
  query: PageQuery,
): Promise<{ items: Row[]; nextCursor: string | null }> {
  const { rows, resumeAfter } = await scan(source, afterOf(query), query.limit + 1);
  const { items, nextCursor } = page(rows, query);
  return { items, nextCursor: nextCursor ?? (resumeAfter === null ? null : cursorAfter(resumeAfter)) };
}
