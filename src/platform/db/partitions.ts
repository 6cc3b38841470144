import type { Db } from "./db.ts";
import { sql } from "./sql.ts";

/**
 * Tables in partitions of a week. The functions `partition_bound` and `partition_time` of the database know where a week
 * begins in each table. Partitions of earlier versions can begin an hour earlier or later. The partition of the migration
 * also holds all earlier rows.
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
    select name, starts_at as "startsAt", ends_at as "endsAt" from list_partitions(${table}) order by ends_at`);

/** Removes all rows of a partition at once. Returns false when the table is busy: try again later. */
export const dropPartition = async (db: Db, name: string): Promise<boolean> =>
  (await db.row<{ dropped: boolean }>(sql`select drop_partition(${name}) as dropped`))!.dropped;
