import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Discovery, EvidenceItem } from "../discovery/index.ts";
import type { ConnectionId, Registration } from "../model.ts";

export interface MovedRow {
  registration: Registration;
  authorizationServer: string;
  resource: string;
  scopes: readonly string[];
  verdict: Discovery;
  evidence: readonly EvidenceItem[];
}

export const move = (tx: Db, orgId: OrgId, id: ConnectionId, row: MovedRow) =>
  tx.run(sql`
    update mcp_connections set registration = ${row.registration}, authorization_server = ${row.authorizationServer},
      resource = ${row.resource}, scopes = ${row.scopes}::text[],
      verdict = ${JSON.stringify(row.verdict)}::text::jsonb, evidence = ${JSON.stringify(row.evidence)}::text::jsonb,
      verdict_drift = null, discovered_at = now(), updated_at = now()
    where org_id = ${orgId} and id = ${id}`);

/** What the ended accounts listed. */
export const forgetAccounts = (tx: Db, orgId: OrgId, id: ConnectionId) =>
  tx.run(sql`delete from mcp_account_tools where org_id = ${orgId} and connection_id = ${id}`);
