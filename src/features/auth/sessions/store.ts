import type { Caller, UserId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import type { UserSession } from "./contract.ts";

export type SessionId = Id<"ses">;

export const insert = (
  db: Db,
  userId: UserId,
  session: {
    id: SessionId;
    tokenHash: string;
    signedInBy: NonNullable<Caller["signedInBy"]>;
    address: string | null;
    userAgent: string;
    days: number;
  },
) =>
  db.run(sql`
    insert into sessions (id, user_id, token_hash, signed_in_by, ip_address, user_agent, expires_at)
    values (${session.id}, ${userId}, ${session.tokenHash}, ${session.signedInBy}, ${session.address},
      ${session.userAgent}, now() + make_interval(days => ${session.days}))`);

type Row = Omit<UserSession, "current" | "device">;

export const list = (db: Db, userId: UserId, after: string, limit: number) =>
  db.rows<Row>(sql`
    select id, coalesce(user_agent, '') as "userAgent", ip_address as address, signed_in_by as "signedInBy",
      coalesce(reauthenticated_at, created_at) as "signedInAt", last_used_at as "lastUsedAt",
      expires_at as "expiresAt", created_at as "createdAt"
    from sessions where user_id = ${userId} and expires_at > now() and id < ${after}
    order by id desc limit ${limit}`);

export const remove = (db: Db, userId: UserId, id: string) =>
  db.run(sql`delete from sessions where user_id = ${userId} and id = ${id}`);

export const removeOthers = (db: Db, userId: UserId, id: string) =>
  db.run(sql`delete from sessions where user_id = ${userId} and id <> ${id}`);

export const refresh = (db: Db, userId: UserId, id: string) =>
  db.row<{ signedInAt: number }>(sql`
    update sessions set reauthenticated_at = now(), updated_at = now()
    where user_id = ${userId} and id = ${id} returning reauthenticated_at as "signedInAt"`);
