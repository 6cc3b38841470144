import type { MemberId, OrgId, UserId } from "../../platform/context.ts";
import { type Db, sql } from "../../platform/db/index.ts";
import type { Member } from "./contract.ts";

const columns = sql`m.id, m.user_id as "userId", u.email, u.name, m.role, m.created_at as "createdAt"`;

export const insert = (
  db: Db,
  orgId: OrgId,
  { id, userId, role }: { id: MemberId; userId: UserId; role: string },
) =>
  db.run(sql`insert into members (id, org_id, user_id, role) values (${id}, ${orgId}, ${userId}, ${role})`);

export const list = (db: Db, orgId: OrgId, after: string, limit: number) =>
  db.rows<Member>(sql`
    select ${columns} from members m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.id < ${after}
    order by m.id desc limit ${limit}`);

export const find = (db: Db, orgId: OrgId, id: MemberId) =>
  db.row<Member>(sql`
    select ${columns} from members m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.id = ${id}`);
