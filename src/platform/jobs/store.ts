import { type Db, sql } from "../db/index.ts";

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
