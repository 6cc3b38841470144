import type { Db } from "./db.ts";
import { raw, type Sql, sql } from "./sql.ts";

/**
 * How a list with filters is read. An index gives candidates in the order of the list; what no index can decide is
 * checked row by row, a bounded number in one statement and in one request.
 */
export interface ListSource<Row> {
  /** False: every candidate is part of the list, so no more are read than are wanted. */
  filtered: boolean;
  /** Examines the next `count` candidates below `after` and returns at most `wanted` of those that match. */
  examine(after: string, count: number, wanted: number): Promise<Step<Row>>;
}

export interface Step<Row> {
  rows: Row[];
  examined: number;
  /** The last candidate that was examined. */
  last: string | null;
}

export interface ScanResult<Row> {
  rows: Row[];
  /** What sorts below it has not been examined; null: nothing does. */
  resumeAfter: string | null;
}

/** Of rows: the largest page and one more, the first step, each later one, and all steps of a request. */
const largestPage = 101;
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
  let count = source.filtered ? firstStep : largestPage;
  for (let examined = 0; ; ) {
    const step = await source.examine(position, count, wanted - rows.length);
    rows.push(...step.rows);
    if (step.examined < count || step.last === null) return { rows, resumeAfter: null };
    position = step.last;
    examined += step.examined;
    const isSpent = examined >= scanBudget || performance.now() - started > budgetMs;
    if (rows.length >= wanted || isSpent) return { rows, resumeAfter: position };
    count = scanStep;
  }
}

/**
 * The id as the indexes of filters have it: in the same order under another name. A plan that wants rows in this order
 * can use such an index only. With one name for all, plans that expect a value to be common go through the index of
 * the whole list instead, and read all of it when there is no such row.
 */
export const filterOrder = (id: Sql): Sql => sql`${id} collate "POSIX"`;

interface ListSql {
  /** Whether `matches` can be false. */
  filtered: boolean;
  /** Selects `id` and `matches` of the next `count` rows below `after`, largest id first. */
  candidates: (after: string, count: Sql) => Sql;
  /** Selects the rows of a list, among them `id`, whose ids are in the array `ids`. */
  rows: (ids: Sql) => Sql;
}

/**
 * One statement for each step: it finds the ids first, and then reads whole rows for those of the page. The count is
 * part of the text, because a plan that does not know it expects a tenth of the table.
 */
export const listSource = <Row extends { id: string }>(
  db: Db,
  { filtered, candidates, rows }: ListSql,
): ListSource<Row> => ({
  filtered,
  async examine(after, count, wanted) {
    const found = await db.rows<Row & { scanExamined: number; scanLast: string | null }>(sql`
      with next as materialized (${candidates(after, raw(String(count)))})
      select bounds.examined as "scanExamined", bounds.last as "scanLast", page.*
      from (
        select count(*)::int as examined, min(id) as last,
          (array_agg(id order by id desc) filter (where matches))[1:${wanted}::int] as ids
        from next) bounds
      left join lateral (${rows(sql`bounds.ids`)}) page on true
      order by page.id desc`);
    const { scanExamined: examined, scanLast: last } = found[0]!;
    const matching = found.filter(({ id }) => id !== null);
    return { rows: matching.map(withoutBounds), examined, last };
  },
});

function withoutBounds<Row>(row: Row & { scanExamined: number; scanLast: string | null }): Row {
  const { scanExamined: _, scanLast: __, ...rest } = row;
  return rest as Row;
}
