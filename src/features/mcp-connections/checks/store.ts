import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { VerdictDrift } from "../contract.ts";
import type { Discovery, EvidenceItem } from "../discovery/index.ts";
import type { ConnectionId } from "../model.ts";

export interface Failure {
  step: string;
  code: string;
  message: string;
}

/**
 * Records how the server answered. The time of a failure is that of the first one since the server worked, and the watch
 * counts failures from then.
 */
export const setHealth = (db: Db, orgId: OrgId, id: ConnectionId, failure: Failure | null) =>
  failure === null
    ? db.run(sql`
        update mcp_connections set health = 'ok', health_step = null, health_code = null, health_message = null,
          health_since = null, check_failures = 0, checked_at = now()
        where org_id = ${orgId} and id = ${id}`)
    : db.run(sql`
        update mcp_connections set health = 'failing', health_step = ${failure.step}, health_code = ${failure.code},
          health_message = ${failure.message}, checked_at = now(),
          health_since = case when health = 'failing' then coalesce(health_since, now()) else now() end
        where org_id = ${orgId} and id = ${id}`);

export const setProtocolVersion = (db: Db, orgId: OrgId, id: ConnectionId, version: string) =>
  db.run(sql`
    update mcp_connections set protocol_version = ${version}
    where org_id = ${orgId} and id = ${id} and protocol_version is distinct from ${version}`);

export const lockVerdict = (tx: Db, orgId: OrgId, id: ConnectionId) =>
  tx.row<{ verdict: Discovery; drift: VerdictDrift[] | null; authorizationServer: string | null }>(sql`
    select verdict, verdict_drift as drift, authorization_server as "authorizationServer"
    from mcp_connections where org_id = ${orgId} and id = ${id} for update`);

/** Replaces the accepted verdict. */
export const setVerdict = (
  db: Db,
  orgId: OrgId,
  id: ConnectionId,
  { verdict, evidence }: { verdict: Discovery; evidence: readonly EvidenceItem[] },
) =>
  db.run(sql`
    update mcp_connections set verdict = ${JSON.stringify(verdict)}::text::jsonb,
      evidence = ${JSON.stringify(evidence)}::text::jsonb, verdict_drift = null, discovered_at = now()
    where org_id = ${orgId} and id = ${id}`);

/** Keeps the accepted verdict, and records what is different now. */
export const setDrift = (db: Db, orgId: OrgId, id: ConnectionId, drift: readonly VerdictDrift[]) =>
  db.run(sql`
    update mcp_connections set verdict_drift = ${JSON.stringify(drift)}::jsonb, discovered_at = now()
    where org_id = ${orgId} and id = ${id}`);
