import { type Db, listSource, raw, sql } from "../../../platform/db/index.ts";
import { type AdminUser, maxSessions } from "./contract.ts";

/**
 * The newest sessions of user `u`. As a range of users, they can only be read from the index of users: somebody with
 * thousands of sessions must not slow down the list.
 */
const newestSessions = sql`(
  select s.last_used_at, s.expires_at from sessions s where s.user_id >= u.id and s.user_id <= u.id
  order by s.user_id, s.id desc limit ${raw(String(maxSessions))}) s`;

const columns = sql`u.id, u.email, u.name, u.email_verified as "emailVerified",
  (select count(*) from members m where m.user_id = u.id) as memberships,
  (select count(*) from ${newestSessions} where s.expires_at > now()) as sessions,
  (select max(s.last_used_at) from ${newestSessions}) as "lastSeenAt",
  array(select k.kind from (values ('authenticator',
      exists (select from two_factors f where f.user_id = u.id and f.confirmed_at is not null)),
    ('passkey', exists (select from passkeys p where p.user_id = u.id))) k (kind, present)
    where k.present) as "secondFactors",
  u.created_at as "createdAt"`;

/** Newest first. `prefix` is the beginning of the address, in lower case. */
export const listNewestAcrossOrganizations = (db: Db, prefix: string | undefined) =>
  listSource<AdminUser>(db, {
    filtered: true,
    candidates: (after, count) => sql`
      select u.id, not u.provisional and starts_with(u.email, ${prefix ?? ""}) as matches
      from users u where u.id < ${after} order by u.id desc limit ${count}`,
    rows: (ids) => sql`select ${columns} from users u where u.id = any(${ids})`,
  });

/** The largest character: addresses with a prefix sort before the prefix with it. */
const lastCharacter = "\u{10ffff}";

/** In the order of addresses, those after `after`. */
export const listByEmailAcrossOrganizations = (
  db: Db,
  prefix: string | undefined,
  after: string,
  limit: number,
) =>
  db.rows<AdminUser>(sql`
    select ${columns} from users u
    where u.email collate "C" > ${after} and u.email collate "C" >= ${prefix ?? ""}
      and u.email collate "C" < ${`${prefix ?? ""}${lastCharacter}`} and not u.provisional
    order by u.email collate "C" limit ${limit}`);
