import type { Db } from "./db.ts";
import { sql } from "./sql.ts";

/**
 * Tables in partitions of a week. The function `partition_bound` of the database knows where a week begins in each table.
 * A partition holds rows of the week before `endsAt`. The partition of the
 * migration also holds all earlier rows.
 */
export interface Partition {
  name: string;
  /** Null for the partition that also holds all earlier rows. */
  startsAt: number | null;
  endsAt: number;
}

const weeksAhead = 4;

/**
 * Adds the partitions of this week and of the next ones. Returns those that were added. Rows without a partition are in
 * the default partition; a week that has rows there gets no partition.
 */
export const addPartitions = (db: Db, table: string) =>
  db.transaction(async (tx) => {
    // In a time zone with clock changes, seven days can be an hour more or less than a week.
    await tx.run(sql`set local timezone = 'UTC'`);
    return tx.rows<{ week: number }>(sql`
      select week from generate_series(first_day_of_week(now()),
        first_day_of_week(now()) + ${weeksAhead}::int * interval '7 days', interval '7 days') week
      where add_partition(${table}, week)`);
  });

/** The partitions of a table, oldest first, without the default partition. */
export const listPartitions = (db: Db, table: string) =>
  db.rows<Partition>(sql`
    select c.relname::text as name,
      case when pg_get_expr(c.relpartbound, c.oid) not like '%MINVALUE%'
        then to_date(right(c.relname, 8), 'YYYYMMDD')::timestamp at time zone 'UTC' end as "startsAt",
      (to_date(right(c.relname, 8), 'YYYYMMDD') + 7)::timestamp at time zone 'UTC' as "endsAt"
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${table}) and c.relname ~ '_[0-9]{8}$'
    order by c.relname`);

/** Removes all rows of a partition at once. Returns false when the table is busy: try again later. */
export const dropPartition = async (db: Db, name: string): Promise<boolean> =>
  (await db.row<{ dropped: boolean }>(sql`select drop_partition(${name}) as dropped`))!.dropped;
