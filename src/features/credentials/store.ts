import type { MemberId, OrgId, UserId } from "../../platform/context.ts";
import { type Db, reuseStatement, type Sql, sql } from "../../platform/db/index.ts";
import type { CredentialEnding } from "../../platform/http/index.ts";

/** A member and its role, as every lookup selects them. */
export interface MembershipRow {
  userId: UserId;
  memberId: MemberId;
  orgId: OrgId;
  role: string;
  rolePermissions: string[] | null;
}

const membershipColumns = sql`m.user_id as "userId", m.id as "memberId", m.org_id as "orgId", m.role,
  custom.permissions as "rolePermissions"`;
const customRole = sql`left join roles custom on custom.id = m.role and custom.org_id = m.org_id`;

/** Stands in a lookup for the organization that the request names, or null. */
export const requestedOrganization = Symbol("requested organization");
const givenHash = Symbol("hash of the token");

/** The rows that hold a kind of credential. */
interface CredentialRows {
  /** The credential's own columns. `id` is required. */
  columns: Sql;
  /** The tables of the credential, joined to its member as `members m`. */
  from: Sql;
  /** The column with the hash of the token. */
  hash: Sql;
  /** A condition that is false after the credential has ended. */
  valid: Sql;
}

/** Finds a credential and its member in one statement, because every request starts with it. */
export class CredentialLookup<Own> {
  readonly #statement: ReturnType<typeof reuseStatement>;

  constructor({ columns, from, hash, valid }: CredentialRows) {
    this.#statement = reuseStatement(sql`
      select ${columns}, ${membershipColumns} from ${from} ${customRole}
      where ${hash} = ${givenHash} and ${valid}`);
  }

  findByToken(db: Db, tokenHash: string, orgId: string | undefined) {
    return db.row<Own & (MembershipRow | { [column in keyof MembershipRow]: null })>(
      this.#statement((param) =>
        param === givenHash ? tokenHash : param === requestedOrganization ? (orgId ?? null) : param,
      ),
    );
  }
}

export const findMembership = (db: Db, orgId: OrgId, memberId: MemberId) =>
  db.row<MembershipRow>(sql`
    select ${membershipColumns} from members m ${customRole}
    where m.org_id = ${orgId} and m.id = ${memberId}`);

/** The columns that record when a credential was last used. */
export interface LastUse {
  table: Sql;
  set: Sql;
  /** Only rows with this condition are written. */
  where?: Sql;
}

/** Skips rows that somebody else is changing, so that no transaction waits for this one. */
export const recordUseAcrossOrganizations = (
  db: Db,
  { table, set, where = sql`true` }: LastUse,
  ids: readonly string[],
) =>
  db.run(sql`
    update ${table} set ${set}
    where id in (select id from ${table} where id = any(${ids}::text[]) for update skip locked) and ${where}`);

export const endOfUser = (db: Db, userId: UserId, end: CredentialEnding["end"]) =>
  end(db, sql`m.user_id = ${userId}`);

export const endOfMember = (db: Db, orgId: OrgId, memberId: MemberId, end: CredentialEnding["end"]) =>
  end(db, sql`m.org_id = ${orgId} and m.id = ${memberId}`);
