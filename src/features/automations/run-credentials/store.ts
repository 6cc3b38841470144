import type { OrgId } from "../../../platform/context.ts";
import { type Db, leaseConditions, reuseStatement, type Sql, sql } from "../../../platform/db/index.ts";
import {
  customRole,
  isActiveMember,
  type MembershipRow,
  membershipColumns,
} from "../../credentials/index.ts";

/** The fields of a credential that are stored with its attempt. */
export interface StoredCredential {
  hash: string;
  /** The API key that the run was claimed with. */
  keyId: string | null;
  /** The permissions of the claimer, limited to those that programs can have. */
  permissions: readonly string[];
}

interface RunCredentialColumns {
  /** The id of the run. */
  id: string;
  attempt: number;
  holder: string;
  /** Null for attempts from before permissions were stored. */
  permissions: string[] | null;
  templateIds: string[];
  /** Those that the automation's current revision still names. */
  connectionIds: string[];
  /** The provider of the model, if the automation's current revision still names it. */
  modelProviderId: string | null;
}

const lease = leaseConditions(sql`r.`);

const selectByHash = reuseStatement(
  (tokenHash: string) => sql`
    select r.id, r.attempt, r.holder, t.permissions, v.template_ids as "templateIds",
      array(select unnest(v.connection_ids) intersect select unnest(latest.connection_ids)) as "connectionIds",
      case when v.model_provider_id = latest.model_provider_id then v.model_provider_id end as "modelProviderId",
      ${membershipColumns}
    from automation_run_attempts t
    join automation_runs r on r.id = t.run_id and r.attempt = t.attempt
    join automations a on a.id = r.automation_id
    join automation_revisions v on v.automation_id = a.id and v.revision = r.revision
    join automation_revisions latest on latest.automation_id = a.id and latest.revision = a.revision
    join members m on m.id = r.member_id and m.org_id = r.org_id ${customRole}
    where t.token_hash = ${tokenHash} and t.ended_at is null and r.status = 'running'
      and ${lease.isLive} and r.cancel_requested_at is null and ${isActiveMember}
      and exists (select from members h where h.org_id = r.org_id and h.deactivated_at is null and (h.id = r.holder
        or h.id = (select n.member_id from automation_runners n where n.id = r.holder and n.org_id = r.org_id)))
      and (t.key_id is null or exists (select from api_keys k where k.id = t.key_id and k.org_id = r.org_id
        and (k.expires_at is null or k.expires_at > now())))`,
);

/** The attempt must be running, its holder must be active, and the API key that claimed it must be valid. */
export const findRunByToken = (db: Db, tokenHash: string) =>
  db.row<RunCredentialColumns & MembershipRow>(selectByHash(tokenHash));

/** Gives an attempt a new credential. The previous credential ends. */
export const replace = (tx: Db, orgId: OrgId, runId: string, attempt: number, stored: StoredCredential) =>
  tx.run(sql`
    update automation_run_attempts t set token_hash = ${stored.hash}, key_id = ${stored.keyId},
      permissions = ${stored.permissions}::text[]
    from automation_runs r where r.id = t.run_id and r.org_id = ${orgId} and t.run_id = ${runId}
      and t.attempt = ${attempt} and t.ended_at is null`);

/**
 * Ends the credentials of the runs of some members, and of runs that they or their runners hold. `members` is a
 * condition on these members. Nothing is counted.
 */
export const endRunCredentialsAcrossOrganizations = async (db: Db, members: Sql) => {
  await db.run(sql`
    update automation_run_attempts t set token_hash = null
    from members m join automation_runs r on r.org_id = m.org_id and r.status = 'running'
    where ${members} and t.run_id = r.id and t.token_hash is not null
      and (m.id in (r.member_id, r.holder)
        or exists (select from automation_runners n where n.id = r.holder and n.member_id = m.id))`);
  return [];
};
