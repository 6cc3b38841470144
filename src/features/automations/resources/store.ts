import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import { isUsableBy } from "../../connection-grants/index.ts";
import type { AssignedConnection, AssignedTemplate } from "./contract.ts";

export const listTemplates = (db: Db, orgId: OrgId, ids: readonly string[]) =>
  db.rows<{ id: string; slug: string }>(
    sql`select t.id, t.slug from templates t where t.org_id = ${orgId} and t.id = any(${ids}::text[])`,
  );

/** Returns those of the connections that a member may use. `memberId` is null for a shared connection. */
export const listUsableConnections = (
  db: Db,
  orgId: OrgId,
  memberId: string | null,
  ids: readonly string[],
) =>
  db.rows<{ id: string; memberId: string | null }>(sql`
    select c.id, c.member_id as "memberId" from oauth_connections c
    where c.org_id = ${orgId} and c.id = any(${ids}::text[]) and c.status <> 'ended'
      and ${isUsableBy(sql`${memberId}::text`)}`);

interface RunResources {
  /** Only the id when the template is missing. */
  templates: (AssignedTemplate | { id: string })[];
  connections: (AssignedConnection | { id: string })[];
  /** The member who owns the run has left. */
  memberLeft: boolean;
  memberId: string;
  model: { providerId: string; modelId: string } | null;
}

/** The current templates and connections of a run. A connection must also be in the automation's current revision. */
export const findForRun = (db: Db, orgId: OrgId, runId: string) =>
  db.row<RunResources>(sql`
    select
      (select coalesce(json_agg(coalesce((
          select json_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'version', t.version)
          from templates t where t.id = g.id and t.org_id = r.org_id),
        json_build_object('id', g.id)) order by g.place), '[]')
        from unnest(v.template_ids) with ordinality g (id, place)) as templates,
      (select coalesce(json_agg(coalesce((
          select json_build_object('id', c.id, 'providerId', c.provider_id, 'account', c.label,
            'outsideAccount', case when c.account_subject is not null then
              json_build_object('subject', c.account_subject, 'name', c.account_name) end,
            'shared', c.shared, 'status', c.status,
            'scopes', (select k.scopes from oauth_tokens k where k.id = c.token_id))
          from oauth_connections c
          where c.id = g.id and c.org_id = r.org_id and c.status <> 'ended' and g.id = any(latest.connection_ids)
            and ${isUsableBy(sql`r.member_id`)}),
        json_build_object('id', g.id)) order by g.place), '[]')
        from unnest(v.connection_ids) with ordinality g (id, place)) as connections,
      not exists (select from members m where m.id = r.member_id and m.org_id = r.org_id
        and m.deactivated_at is null) as "memberLeft",
      r.member_id as "memberId", case when v.model_id is not null then
        json_build_object('providerId', v.model_provider_id, 'modelId', v.model_id) end as model
    from automation_runs r
    join automations a on a.id = r.automation_id
    join automation_revisions v on v.automation_id = a.id and v.revision = r.revision
    join automation_revisions latest on latest.automation_id = a.id and latest.revision = a.revision
    where r.id = ${runId} and r.org_id = ${orgId}`);
