import type { MemberId, OrgId } from "../../platform/context.ts";
import { type Db, join, listSource, type Sql, sql } from "../../platform/db/index.ts";
import type { Id } from "../../platform/ids.ts";
import type { Template, TemplateSummary, Version, VersionSummary } from "./contract.ts";
import type { TemplateContent } from "./fields.ts";

export type TemplateId = Id<"tpl">;

const summaryColumns = sql`t.id, t.slug, t.name, t.description, t.tags, t.version,
  case when t.connector_id is not null then json_build_object('connectorId', t.connector_id,
    'connectorName', c.name, 'path', t.path, 'commit', t.commit_sha, 'author', t.commit_author) end as source,
  t.created_by as "createdBy", t.updated_by as "updatedBy", t.created_at as "createdAt",
  t.updated_at as "updatedAt"`;
const templateColumns = sql`${summaryColumns}, t.body, t.metadata`;
const templateTables = sql`templates t left join connectors c on c.id = t.connector_id`;

interface Filter {
  slug: string | null;
  connectorId: string | null;
  /** A template must contain all of them. */
  words: readonly string[];
  tag: string | null;
}

/** Words and tags are searched in a narrow table, so that no body is read for them. */
export const list = (db: Db, orgId: OrgId, { slug, connectorId, words, tag }: Filter) => {
  const ofTemplate = (condition: Sql) => sql`(select ${condition} from templates t where t.id = s.id)`;
  const conditions = [
    tag === null ? null : sql`${tag} = any(s.tags)`,
    words.length === 0
      ? null
      : sql`not exists (select from unnest(${words}::text[]) word where strpos(s.text, lower(word)) = 0)`,
    slug === null ? null : ofTemplate(sql`t.slug = ${slug}`),
    connectorId === null ? null : ofTemplate(sql`t.connector_id = ${connectorId}`),
  ].filter((condition) => condition !== null);
  return listSource<TemplateSummary>(db, {
    filtered: conditions.length > 0,
    candidates: (after, count) => sql`
      select s.id, ${conditions.length === 0 ? sql`true` : join(conditions, " and ")} as matches from (
        -- With an empty text appended, the value is decompressed once and not for every word.
        select template_id as id, ${words.length === 0 ? sql`''` : sql`text || ''`} as text, tags
        from template_search where org_id = ${orgId} and template_id < ${after}
        order by template_id desc limit ${count}) s`,
    rows: (ids) => sql`select ${summaryColumns} from ${templateTables} where t.id = any(${ids})`,
  });
};

export const find = (db: Db, orgId: OrgId, id: TemplateId) =>
  db.row<Template>(
    sql`select ${templateColumns} from ${templateTables} where t.org_id = ${orgId} and t.id = ${id}`,
  );

/** Locks first and reads afterwards, so that the latest change is seen. */
export const lock = async (tx: Db, orgId: OrgId, id: TemplateId) => {
  const locked = await tx.row<{ id: string }>(
    sql`select t.id from templates t where t.org_id = ${orgId} and t.id = ${id} for no key update`,
  );
  return locked && find(tx, orgId, id);
};

/** Only one transaction at a time adds templates to an organization, so that limits and slugs can be checked first. */
export const lockWriting = (tx: Db, orgId: OrgId) =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended('templates ' || ${orgId}::text, 0))`);

const versionColumns = sql`template_id, version, org_id, slug, name, description, tags, body, metadata,
  commit_sha, commit_author, created_by`;

export const insert = (
  tx: Db,
  orgId: OrgId,
  id: TemplateId,
  memberId: MemberId,
  content: TemplateContent,
  digest: string,
) =>
  tx.run(sql`
    with t as (
      insert into templates (id, org_id, slug, name, description, tags, body, metadata, version, digest,
        created_by, updated_by)
      values (${id}, ${orgId}, ${content.slug}, ${content.name}, ${content.description}, ${content.tags}::text[],
        ${content.body}, ${JSON.stringify(content.metadata)}::text::jsonb, 1, ${digest}, ${memberId}, ${memberId})
      returning *)
    insert into template_versions (${versionColumns})
    select id, version, org_id, slug, name, description, tags, body, metadata, null, null, updated_by from t`);

export const update = (
  tx: Db,
  orgId: OrgId,
  id: TemplateId,
  memberId: MemberId,
  content: TemplateContent,
  digest: string,
) =>
  tx.run(sql`
    with t as (
      update templates set slug = ${content.slug}, name = ${content.name}, description = ${content.description},
        tags = ${content.tags}::text[], body = ${content.body},
        metadata = ${JSON.stringify(content.metadata)}::text::jsonb, version = version + 1, digest = ${digest},
        updated_by = ${memberId}, updated_at = now()
      where org_id = ${orgId} and id = ${id} returning *)
    insert into template_versions (${versionColumns})
    select id, version, org_id, slug, name, description, tags, body, metadata, null, null, updated_by from t`);

export const remove = (tx: Db, orgId: OrgId, id: TemplateId) =>
  tx.run(sql`delete from templates where org_id = ${orgId} and id = ${id}`);

/** Deletes all but the newest `keep` versions, of one template or of all templates of a connector. */
export const removeOldVersions = (
  tx: Db,
  orgId: OrgId,
  of: { templateId: TemplateId } | { connectorId: string },
  keep: number,
) =>
  tx.run(sql`
    delete from template_versions v using templates t
    where t.org_id = ${orgId} and ${"templateId" in of ? sql`t.id = ${of.templateId}` : sql`t.connector_id = ${of.connectorId}`}
      and v.template_id = t.id and v.version <= t.version - ${keep}::bigint`);

const versionSummary = sql`v.version, v.slug, v.name, v.description, v.tags, v.commit_sha as commit,
  v.commit_author as author, v.created_by as "createdBy", v.created_at as "createdAt"`;

export const listVersions = (db: Db, orgId: OrgId, id: TemplateId, before: number | null, limit: number) =>
  db.rows<VersionSummary>(sql`
    select ${versionSummary} from template_versions v
    where v.template_id = ${id} and v.org_id = ${orgId} and (${before}::int is null or v.version < ${before})
    order by v.version desc limit ${limit}`);

export const findVersion = (db: Db, orgId: OrgId, id: TemplateId, version: number) =>
  db.row<Version>(sql`
    select ${versionSummary}, v.body, v.metadata from template_versions v
    where v.template_id = ${id} and v.org_id = ${orgId} and v.version = ${version}`);
