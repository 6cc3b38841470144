import type { Caller, CredentialKind, UsedCredential, UserId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { CredentialType } from "../../platform/http/index.ts";
import { createMembership } from "./membership.ts";
import * as store from "./store.ts";

/** What every kind of credential has in its row. */
interface OwnColumns {
  id: string;
  permissions?: readonly string[] | null;
  /** For credentials that are also valid outside of an organization. */
  personId?: UserId;
}

/** A kind of credential that acts for a person. A room adds it to `credentials` of its room value. */
interface PersonalCredential<Own extends OwnColumns> extends Omit<CredentialType, "find" | "recordUse"> {
  kind: CredentialKind;
  lookup: store.CredentialLookup<Own>;
  lastUse?: store.LastUse;
  /** The permissions that it is limited to, by default those of its row. Null: it has those of its member. */
  limit?(row: Own): readonly string[] | null;
  /** What else the credential says about its caller. */
  describe?(row: Own): Partial<Omit<UsedCredential, "credential" | "credentialId">>;
}

export function definePersonalCredential<Own extends OwnColumns>({
  lookup,
  lastUse,
  limit = ({ permissions }) => permissions ?? null,
  describe,
  ...type
}: PersonalCredential<Own>): CredentialType {
  return {
    ...type,
    async find(db: Db, tokenHash: string, orgId: string | undefined): Promise<Caller | undefined> {
      const row = await lookup.findByToken(db, tokenHash, orgId);
      if (!row) return undefined;
      const used = { credential: type.kind, credentialId: row.id, ...describe?.(row) };
      if (row.memberId !== null) {
        const member = createMembership(row, limit(row));
        return { ...used, principal: "member", userId: row.userId, member };
      }
      return row.personId === undefined ? undefined : { ...used, principal: "person", userId: row.personId };
    },
    ...(lastUse
      ? { recordUse: (db: Db, ids: string[]) => store.recordUseAcrossOrganizations(db, lastUse, ids) }
      : {}),
  };
}
