import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import { isUsableBy } from "../../connection-grants/index.ts";
import type { WorkerAssignments, WorkerTemplate } from "./contract.ts";

export const listTemplates = (db: Db, orgId: OrgId, ids: readonly string[]) =>
  db.rows<{ id: string }>(
    sql`select t.id from templates t where t.org_id = ${orgId} and t.id = any(${ids}::text[])`,
  );

/** Those of the connections that a member may use. */
export const listUsableConnections = (db: Db, orgId: OrgId, memberId: string, ids: readonly string[]) =>
  db.rows<{ id: string }>(sql`
    select c.id from oauth_connections c
    where c.org_id = ${orgId} and c.id = any(${ids}::text[]) and c.status <> 'ended'
      and ${isUsableBy(sql`${memberId}::text`)}`);

type Templates = WorkerAssignments["templates"];
type Providers = WorkerAssignments["llmProviders"];
type Connections = WorkerAssignments["connections"];

export const listAssignedTemplates = (db: Db, orgId: OrgId, workerId: string) =>
  db.rows<Templates[number]>(sql`
    select t.id, t.slug, t.name, t.version from workers w
    join templates t on t.org_id = w.org_id and t.id = any(w.template_ids)
    where w.org_id = ${orgId} and w.id = ${workerId} order by t.id`);

export const listAssignedConnections = (db: Db, orgId: OrgId, workerId: string) =>
  db.rows<Connections[number]>(sql`
    select c.id, c.provider_id as "providerId", c.label as account from workers w
    join oauth_connections c on c.org_id = w.org_id and c.id = any(w.connection_ids)
    where w.org_id = ${orgId} and w.id = ${workerId} and c.status <> 'ended' and ${isUsableBy(sql`w.member_id`)}
    order by c.id`);

export const findAssignedTemplate = (db: Db, orgId: OrgId, workerId: string, id: string) =>
  db.row<WorkerTemplate>(sql`
    select t.id, t.slug, t.name, t.version, t.body from workers w
    join templates t on t.org_id = w.org_id and t.id = any(w.template_ids)
    where w.org_id = ${orgId} and w.id = ${workerId} and t.id = ${id}`);

export const listAssignedProviders = (db: Db, orgId: OrgId, workerId: string) =>
  db.rows<Providers[number]>(sql`
    select p.id, p.kind, p.name from llm_provider_grants g join llm_providers p on p.id = g.provider_id
    where g.org_id = ${orgId} and g.worker_id = ${workerId} order by p.id`);

/** Those of the ids that are MCP connections of the organization. */
export const listMcpConnections = (db: Db, orgId: OrgId, ids: readonly string[]) =>
  db.rows<{ id: string }>(
    sql`select id from mcp_connections where org_id = ${orgId} and id = any(${ids}::text[])`,
  );
