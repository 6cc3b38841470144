import type { OrgId } from "../../platform/context.ts";
import { type Db, type Sql, sql } from "../../platform/db/index.ts";

/** True when the organization is suspended, null when there is none. Finds it by its id, whatever the plan. */
export const isSuspended = (orgId: Sql): Sql =>
  sql`(select suspended.suspended_at is not null from organizations suspended where suspended.id = ${orgId})`;

/**
 * The organization is not suspended. For statements that find work of all organizations: the few suspended ones are
 * read once for each statement.
 */
export const isNotSuspended = (orgId: Sql): Sql =>
  sql`${orgId} not in (select suspended.id from organizations suspended where suspended.suspended_at is not null)`;

/** The organization is not suspended, and was not in the last day: its machines had the time to come back. */
export const wasUsable = (orgId: Sql): Sql =>
  sql`${orgId} not in (select suspended.id from organizations suspended
    where suspended.suspended_at is not null or suspended.restored_at > now() - interval '1 day')`;

export const findSuspension = (db: Db, orgId: OrgId) =>
  db.row<{ suspendedAt: number | null }>(
    sql`select suspended_at as "suspendedAt" from organizations where id = ${orgId}`,
  );
