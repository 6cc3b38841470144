import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { SsoEvent } from "./contract.ts";

export type NewEvent = Omit<SsoEvent, "createdAt"> & { connectorId: string };

export const insert = (db: Db, orgId: OrgId, event: NewEvent) =>
  db.run(sql`
    insert into sso_events (id, org_id, connector_id, purpose, outcome, code, message, subject, email, user_id, address,
      request_id)
    select ${event.id}, c.org_id, c.id, ${event.purpose}, ${event.outcome}, ${event.code}, ${event.message},
      ${event.subject}, ${event.email}, ${event.userId}, ${event.address}, ${event.requestId}
    from sso_connectors c where c.org_id = ${orgId} and c.id = ${event.connectorId}`);

/** Keeps the newest events of a connector. */
export const removeOld = (db: Db, orgId: OrgId, connectorId: string, kept: number) =>
  db.run(sql`
    delete from sso_events where org_id = ${orgId} and connector_id = ${connectorId} and id <= (
      select id from sso_events where connector_id = ${connectorId} order by id desc offset ${kept}::int limit 1)`);

export const list = (db: Db, orgId: OrgId, connectorId: string, after: string, limit: number) =>
  db.rows<SsoEvent>(sql`
    select id, purpose, outcome, code, message, subject, email, user_id as "userId", address, request_id as "requestId",
      created_at as "createdAt"
    from sso_events where org_id = ${orgId} and connector_id = ${connectorId} and id < ${after}
    order by id desc limit ${limit}`);

/** Counts a sign-in, or a failure and its reason, on the connector. */
export const countOutcome = (
  db: Db,
  orgId: OrgId,
  connectorId: string,
  failure: { code: string; message: string } | null,
) =>
  failure === null
    ? db.run(sql`
        update sso_connectors set last_sign_in_at = now(), sign_ins = sign_ins + 1
        where org_id = ${orgId} and id = ${connectorId}`)
    : db.run(sql`
        update sso_connectors set last_error_at = now(), last_error_code = ${failure.code},
          last_error = ${failure.message}, failures = failures + 1
        where org_id = ${orgId} and id = ${connectorId}`);
