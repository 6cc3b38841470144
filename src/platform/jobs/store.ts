import { type Db, join, type Sql, sql } from "../db/index.ts";

/** Counts a worker that died while it ran this job. Returns the number of deaths. */
export const recordDeath = async (db: Db, jobId: string): Promise<number> =>
  (await db.row<{ deaths: number }>(sql`
    insert into job_deaths as d (job_id, deaths) values (${jobId}, 1)
    on conflict (job_id) do update set deaths = d.deaths + 1, noted_at = now()
    returning deaths`))!.deaths;

/** The number of workers that died while they ran this job. */
export const countDeaths = async (db: Db, jobId: string): Promise<number> =>
  (await db.row<{ deaths: number }>(sql`select deaths from job_deaths where job_id = ${jobId}`))?.deaths ?? 0;

/** The queue removes its jobs earlier than this. */
export const removeOldDeaths = (db: Db) =>
  db.run(sql`delete from job_deaths where noted_at < now() - interval '30 days'`);

export interface Condition {
  name: string;
  isDue?: Sql | undefined;
}

/** Checks all conditions with one statement. Returns the names of those that are true. */
export function prepareConditions(db: Db, conditions: readonly Condition[]): () => Promise<string[]> {
  const pieces = conditions.flatMap(({ name, isDue }) => (isDue ? sql`(${name}::text, ${isDue})` : []));
  const statement = sql`select c.name from (values ${join(pieces, ", ")}) c (name, due) where c.due`;
  return async () => (await db.rows<{ name: string }>(statement)).map(({ name }) => name);
}
