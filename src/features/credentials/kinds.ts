import type { Platform, UsedCredential, UserId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { CredentialType, FindCaller } from "../../platform/http/index.ts";
import { createMembership } from "./membership.ts";
import type { MembershipRow, NoMembership } from "./store.ts";

/** What the lookup of every kind of credential returns. */
type CredentialRow = (MembershipRow | NoMembership) & {
  id: string;
  permissions?: readonly string[] | null;
  /** For credentials that are also valid outside of an organization. */
  personId?: UserId;
};

/**
 * Finds a valid credential and its member in one statement, because every request starts with it. `orgId` is the
 * organization that the request names, if any.
 */
type Lookup<Row> = (db: Db, tokenHash: string, orgId: string | undefined) => Promise<Row | undefined>;

/** A kind of credential that acts for a person. A room adds it to `credentials` of its room value. */
interface PersonalCredential<Row extends CredentialRow> extends Omit<CredentialType, "find" | "createFind"> {
  lookup: Lookup<Row>;
  /** Returns a `lookup` that uses what the process has in memory, for a kind with very many requests. */
  createLookup?(state: Platform["state"]): Lookup<Row>;
  /** The permissions that it is limited to, by default those of its row. Null: it has those of its member. */
  limit?(row: Row): readonly string[] | null;
  /** What else the credential says about its caller. */
  describe?(row: Row): Partial<Omit<UsedCredential, "credential" | "credentialId">>;
}

export function definePersonalCredential<Row extends CredentialRow>({
  lookup,
  createLookup,
  limit = ({ permissions }) => permissions ?? null,
  describe,
  ...type
}: PersonalCredential<Row>): CredentialType {
  const createFind =
    (lookup: Lookup<Row>): FindCaller =>
    async (db, tokenHash, orgId) => {
      const found = await lookup(db, tokenHash, orgId);
      if (!found) return undefined;
      const row: CredentialRow = found;
      const used = { credential: type.kind, credentialId: row.id, ...describe?.(found) };
      if (row.memberId !== null) {
        const member = createMembership(row, limit(found));
        return { ...used, principal: "member", userId: row.userId, member };
      }
      return row.personId === undefined ? undefined : { ...used, principal: "person", userId: row.personId };
    };
  return {
    ...type,
    find: createFind(lookup),
    ...(createLookup ? { createFind: (state) => createFind(createLookup(state)) } : {}),
  };
}
