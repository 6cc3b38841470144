import type { MemberId, OrgId, UserId } from "../../platform/context.ts";
import { type Db, sql } from "../../platform/db/index.ts";
import type { User } from "../auth/index.ts";

const columns = sql`id, email, email_verified as "emailVerified", name, created_at as "createdAt"`;

export const findUser = (db: Db, userId: UserId) =>
  db.row<User>(sql`select ${columns} from users where id = ${userId}`);

export const renameUser = (db: Db, userId: UserId, name: string) =>
  db.row<User>(
    sql`update users set name = ${name}, updated_at = now() where id = ${userId} returning ${columns}`,
  );

interface MembershipRow {
  organizationId: OrgId;
  organizationName: string;
  memberId: MemberId;
  role: string;
}

/** The organizations a person belongs to; a person is in few. */
export const listMemberships = (db: Db, userId: UserId) =>
  db.rows<MembershipRow>(sql`
    select o.id as "organizationId", o.name as "organizationName", m.id as "memberId", m.role
    from members m join organizations o on o.id = m.org_id
    where m.user_id = ${userId} order by m.id limit 500`);

export const isMember = async (db: Db, userId: UserId, orgId: string): Promise<boolean> =>
  (await db.row(sql`select 1 from members where user_id = ${userId} and org_id = ${orgId}`)) !== undefined;
