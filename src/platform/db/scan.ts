import type { Db } from "./db.ts";
import { raw, type Sql, sql } from "./sql.ts";

/**
 * Reads a list with filters. An index gives candidates in the order of the list; other conditions are checked row by
 * row, on a bounded number of rows per statement and per request.
 */
export interface ListSource<Row> {
  /** False when every candidate matches. The first step then examines only as many as the largest page needs. */
  filtered: boolean;
  /** Examines the next `count` candidates below `after` and returns at most `wanted` of those that match. */
  examine(after: string, count: number, wanted: number): Promise<Step<Row>>;
}

export interface Step<Row> {
  rows: Row[];
  examined: number;
  /** The last candidate that was examined. */
  last: string | null;
  /** True when the rows are large, so that the page ends with them. `last` is the last of them then. */
  isFull?: boolean;
}

export interface ScanResult<Row> {
  rows: Row[];
  /** Candidates below this id are not examined yet. Null when there are none. */
  resumeAfter: string | null;
}

/** Numbers of rows: the largest page plus one, the first step, each later step, and all steps of one request. */
const maxPageRows = 101;
const firstStep = 250;
export const scanStep = 1_000;
export const scanBudget = 20_000;
const budgetMs = 1_000;

/** Reads until `wanted` rows are found, there are no more, or the budget of the request is used up. */
export async function scan<Row>(
  source: ListSource<Row>,
  after: string,
  wanted: number,
): Promise<ScanResult<Row>> {
  const started = performance.now();
  const rows: Row[] = [];
  let position = after;
  let count = source.filtered ? firstStep : maxPageRows;
  for (let examined = 0; ; ) {
    const step = await source.examine(position, count, wanted - rows.length);
    rows.push(...step.rows);
    if (step.isFull) return { rows, resumeAfter: step.last };
    if (step.examined < count || step.last === null) return { rows, resumeAfter: null };
    position = step.last;
    examined += step.examined;
    const isSpent = examined >= scanBudget || performance.now() - started > budgetMs;
    if (rows.length >= wanted || isSpent) return { rows, resumeAfter: position };
    count = scanStep;
  }
}

/**
 * Sorts by id under a collation that only the filter indexes have, so that the planner cannot use the index of the
 * whole list. It would choose that index for a value that it expects to be common, and read all of it when no row
 * matches.
 */
export const filterOrder = (id: Sql): Sql => sql`${id} collate "POSIX"`;

interface ListSql {
  /** Whether `matches` can be false. */
  filtered: boolean;
  /** Selects `id` and `matches` of the next `count` rows below `after`, largest id first. */
  candidates: (after: string, count: Sql) => Sql;
  /** Selects the rows of a list, among them `id`, whose ids are in the array `ids`. */
  rows: (ids: Sql) => Sql;
  /** True when `rows` leaves out the last rows of a page that would be too large. It always selects the first one. */
  limitsBytes?: boolean;
}

/** A page of large rows ends when it has about this many bytes. It has at least one row. */
export const pageBytes = 2 * 1024 * 1024;

/**
 * Runs one statement per step. It finds the ids first, then reads whole rows only for the page. The count is part of
 * the text, because the planner otherwise expects a tenth of the table.
 */
export const listSource = <Row extends { id: string }>(
  db: Db,
  { filtered, candidates, rows, limitsBytes = false }: ListSql,
): ListSource<Row> => ({
  filtered,
  async examine(after, count, wanted) {
    const found = await db.rows<Row & Bounds>(sql`
      with next as materialized (${candidates(after, raw(String(count)))})
      select bounds.examined as "scanExamined", bounds.last as "scanLast",
        coalesce(cardinality(bounds.ids), 0) as "scanFound", page.*
      from (
        select count(*)::int as examined, min(id) as last,
          (array_agg(id order by id desc) filter (where matches))[1:${wanted}::int] as ids
        from next) bounds
      left join lateral (${rows(sql`bounds.ids`)}) page on true
      order by page.id desc`);
    const { scanExamined: examined, scanLast: last, scanFound } = found[0]!;
    const matching = found.filter(({ id }) => id !== null);
    const page = { rows: matching.map(withoutBounds), examined };
    const isFull = limitsBytes && matching.length < scanFound;
    return isFull ? { ...page, last: matching.at(-1)!.id, isFull } : { ...page, last };
  },
});

interface Bounds {
  scanExamined: number;
  scanLast: string | null;
  scanFound: number;
}

function withoutBounds<Row>(row: Row & Bounds): Row {
  const { scanExamined: _, scanLast: __, scanFound: ___, ...rest } = row;
  return rest as Row;
}
