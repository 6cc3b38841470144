import type { Db } from "./db.ts";
import { raw, type Sql, sql } from "./sql.ts";

/**
 * Reads a list with filters. An index gives candidates in the order of the list; other conditions are checked row by
 * row, on a bounded number of rows per statement and per request.
 */
export interface ListSource<Row> {
  /** False when nearly every candidate matches. The first step then examines only as many as the largest page needs. */
  filtered: boolean;
  /** Examines the next `count` candidates below `after` and returns those that match and fit. */
  examine(after: string, count: number, space: Space): Promise<Step<Row>>;
}

/** What a page has space for. */
interface Space {
  rows: number;
  bytes: number;
  /** The first row of a page is returned whatever its size is. */
  isEmpty: boolean;
}

export interface Step<Row> {
  rows: Row[];
  examined: number;
  /** The last candidate that was examined. */
  last: string | null;
  /** The size of the rows, for a list whose pages are limited in bytes. */
  bytes: number;
  /** True when rows matched and there was no space for their bytes. */
  isFull: boolean;
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

/** A page of rows that can be large ends when it has about this many bytes of them. */
export const pageBytes = 2 * 1024 * 1024;

/** Reads until `wanted` rows are found, there are no more, the page is full, or the budget of the request is used up. */
export async function scan<Row extends { id: string }>(
  source: ListSource<Row>,
  after: string,
  wanted: number,
): Promise<ScanResult<Row>> {
  const started = performance.now();
  const rows: Row[] = [];
  let position = after;
  let count = source.filtered ? firstStep : maxPageRows;
  let bytes = pageBytes;
  for (let examined = 0; ; ) {
    const space = { rows: wanted - rows.length, bytes, isEmpty: rows.length === 0 };
    const step = await source.examine(position, count, space);
    rows.push(...step.rows);
    if (step.isFull) return { rows, resumeAfter: rows.at(-1)!.id };
    bytes -= step.bytes;
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
  /** False when `matches` is nearly always true. */
  filtered: boolean;
  /** Selects `id` and `matches` of the next `count` rows below `after`, largest id first. */
  candidates: (after: string, count: Sql) => Sql;
  /** Selects the rows of a list, among them `id`, whose ids are in the array `ids`. */
  rows: (ids: Sql) => Sql;
  /** The size of what is large in a row of `rows`, whose alias is `page`. Pages are limited in bytes when it is given. */
  bytes?: Sql;
}

interface Bounds {
  scanExamined: number;
  scanLast: string | null;
  scanFound: number;
  scanBytes: number | null;
}

/** The size of rows that are always small. */
const noBytes = sql`0`;

/**
 * Runs one statement per step. It finds the ids first, then reads whole rows only for the page. The count is part of
 * the text, because the planner otherwise expects a tenth of the table.
 */
export const listSource = <Row extends { id: string }>(
  db: Db,
  { filtered, candidates, rows, bytes = noBytes }: ListSql,
): ListSource<Row> => ({
  filtered,
  async examine(after, count, space) {
    const found = await db.rows<Row & Bounds>(sql`
      with next as materialized (${candidates(after, raw(String(count)))})
      select bounds.examined as "scanExamined", bounds.last as "scanLast",
        coalesce(cardinality(bounds.ids), 0) as "scanFound", page.*
      from (
        select count(*)::int as examined, min(id) as last,
          (array_agg(id order by id desc) filter (where matches))[1:${space.rows}::int] as ids
        from next) bounds
      left join lateral (${limitBytes(rows(sql`bounds.ids`), bytes, space)}) page on true
      order by page.id desc`);
    const { scanExamined: examined, scanLast: last, scanFound } = found[0]!;
    const fitting = found.filter(({ id }) => id !== null);
    return {
      rows: fitting.map(withoutBounds),
      examined,
      last,
      bytes: fitting.at(-1)?.scanBytes ?? 0,
      isFull: bytes !== noBytes && fitting.length < scanFound,
    };
  },
});

/** The first rows of a page that fit, each with the size of the page up to it. */
const limitBytes = (rows: Sql, bytes: Sql, space: Space) => sql`
  select sized.* from (
    select page.*, (sum(${bytes}) over (order by page.id desc))::bigint as "scanBytes" from (${rows}) page) sized
  where sized."scanBytes" <= ${space.bytes}::bigint
    or (${space.isEmpty}::boolean and sized.id = bounds.ids[1])`;

function withoutBounds<Row>(row: Row & Bounds): Row {
  const { scanExamined: _, scanLast: __, scanFound: ___, scanBytes: ____, ...rest } = row;
  return rest as Row;
}
