import type { MemberId, OrgId } from "../../platform/context.ts";
import { type Db, nothing, sql } from "../../platform/db/index.ts";
import type { Id } from "../../platform/ids.ts";
import type { Template, TemplateSummary, Version, VersionSummary } from "./contract.ts";
import type { Said } from "./fields.ts";

export type TemplateId = Id<"tpl">;

const summary = sql`t.id, t.slug, t.name, t.description, t.tags, t.version,
  case when t.connector_id is not null then json_build_object('connectorId', t.connector_id,
    'connectorName', c.name, 'path', t.path, 'commit', t.commit_sha, 'author', t.commit_author) end as source,
  t.created_by as "createdBy", t.updated_by as "updatedBy", t.created_at as "createdAt",
  t.updated_at as "updatedAt"`;
const whole = sql`${summary}, t.body, t.metadata`;
const rows = sql`templates t left join connectors c on c.id = t.connector_id`;

interface Filter {
  words: readonly string[];
  tag: string | null;
  slug: string | null;
  connectorId: string | null;
}

/** An organization has ten thousand at most: words are looked for row by row, in the order of the page. */
export const list = (db: Db, orgId: OrgId, filter: Filter, after: string, limit: number) =>
  db.rows<TemplateSummary>(sql`
    select ${summary} from ${rows}
    where t.org_id = ${orgId} and t.id < ${after}
      ${filter.tag === null ? nothing : sql`and ${filter.tag} = any(t.tags)`}
      ${filter.slug === null ? nothing : sql`and t.slug = ${filter.slug}`}
      ${filter.connectorId === null ? nothing : sql`and t.connector_id = ${filter.connectorId}`}
      ${
        filter.words.length === 0
          ? nothing
          : sql`and not exists (
              select from unnest(${filter.words}::text[]) word
              where strpos(lower(t.name || ' ' || t.slug || ' ' || t.description || ' ' ||
                array_to_string(t.tags, ' ')), lower(word)) = 0)`
      }
    order by t.id desc limit ${limit}`);

export const find = (db: Db, orgId: OrgId, id: TemplateId) =>
  db.row<Template>(sql`select ${whole} from ${rows} where t.org_id = ${orgId} and t.id = ${id}`);

/** Locked first and read then, so that what the one before wrote is seen. */
export const lock = async (tx: Db, orgId: OrgId, id: TemplateId) => {
  const locked = await tx.row<{ id: string }>(
    sql`select t.id from templates t where t.org_id = ${orgId} and t.id = ${id} for no key update`,
  );
  return locked && find(tx, orgId, id);
};

/** One at a time adds templates to an organization, so that its limit and its slugs can be judged beforehand. */
export const lockWriting = (tx: Db, orgId: OrgId) =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended('templates ' || ${orgId}::text, 0))`);

export const count = async (db: Db, orgId: OrgId) =>
  (await db.row<{ count: number }>(sql`select count(*) from templates where org_id = ${orgId}`))!.count;

const versionColumns = sql`template_id, version, org_id, slug, name, description, tags, body, metadata,
  commit_sha, commit_author, created_by`;

export const insert = (
  tx: Db,
  orgId: OrgId,
  id: TemplateId,
  memberId: MemberId,
  said: Said,
  digest: string,
) =>
  tx.run(sql`
    with t as (
      insert into templates (id, org_id, slug, name, description, tags, body, metadata, version, digest,
        created_by, updated_by)
      values (${id}, ${orgId}, ${said.slug}, ${said.name}, ${said.description}, ${said.tags}::text[],
        ${said.body}, ${JSON.stringify(said.metadata)}::text::jsonb, 1, ${digest}, ${memberId}, ${memberId})
      returning *)
    insert into template_versions (${versionColumns})
    select id, version, org_id, slug, name, description, tags, body, metadata, null, null, updated_by from t`);

export const update = (
  tx: Db,
  orgId: OrgId,
  id: TemplateId,
  memberId: MemberId,
  said: Said,
  digest: string,
) =>
  tx.run(sql`
    with t as (
      update templates set slug = ${said.slug}, name = ${said.name}, description = ${said.description},
        tags = ${said.tags}::text[], body = ${said.body},
        metadata = ${JSON.stringify(said.metadata)}::text::jsonb, version = version + 1, digest = ${digest},
        updated_by = ${memberId}, updated_at = now()
      where org_id = ${orgId} and id = ${id} returning *)
    insert into template_versions (${versionColumns})
    select id, version, org_id, slug, name, description, tags, body, metadata, null, null, updated_by from t`);

export const remove = (tx: Db, orgId: OrgId, id: TemplateId) =>
  tx.run(sql`delete from templates where org_id = ${orgId} and id = ${id}`);

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
