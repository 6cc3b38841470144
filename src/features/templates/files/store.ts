import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { SyncedTemplate, Write } from "./plan.ts";

/** The templates stay, like templates that a person created. Their versions keep their commits. */
export const detachFromConnector = (tx: Db, orgId: OrgId, connectorId: string) =>
  tx.run(sql`
    update templates set connector_id = null, path = null, source = null, commit_sha = null,
      commit_author = null
    where org_id = ${orgId} and connector_id = ${connectorId}`);

export const removeByConnector = (tx: Db, orgId: OrgId, connectorId: string) =>
  tx.run(sql`delete from templates where org_id = ${orgId} and connector_id = ${connectorId}`);

export const listSynced = (db: Db, orgId: OrgId, connectorId: string) =>
  db.rows<SyncedTemplate>(sql`
    select id, path, slug, source, digest from templates
    where org_id = ${orgId} and connector_id = ${connectorId}`);

export const listTakenSlugs = (db: Db, orgId: OrgId, connectorId: string, slugs: string[]) =>
  db.rows<{ slug: string; connectorName: string | null }>(sql`
    select t.slug, c.name as "connectorName"
    from templates t left join connectors c on c.id = t.connector_id
    where t.org_id = ${orgId} and t.slug = any(${slugs}::text[]) and t.connector_id is distinct from ${connectorId}`);

export const countOthers = async (db: Db, orgId: OrgId, connectorId: string) =>
  (await db.row<{ count: number }>(sql`
    select count(*) from templates
    where org_id = ${orgId} and connector_id is distinct from ${connectorId}`))!.count;

export const removeMany = (tx: Db, orgId: OrgId, ids: string[]) =>
  tx.run(sql`delete from templates where org_id = ${orgId} and id = any(${ids}::text[])`);

export const move = async (tx: Db, orgId: OrgId, moves: { id: string; path: string; source: string }[]) => {
  const of = (field: "id" | "path" | "source") => moves.map((one) => one[field]);
  return tx.run(sql`
    update templates t set path = m.path, source = m.source
    from unnest(${of("id")}::text[], ${of("path")}::text[], ${of("source")}::text[]) as m (id, path, source)
    where t.org_id = ${orgId} and t.id = m.id`);
};

/** The head that the files were read from. */
export interface Origin {
  connectorId: string;
  commit: string;
  author: string | null;
}

const utf8 = new TextDecoder();

const selectWrites = (writes: (Write & { id: string })[]) => {
  // The fields of a file are JSON already, so they are joined as text and not parsed again.
  const rows = writes.map(({ id, path, source, content: { digest, json } }) => {
    const ownFields = JSON.stringify({ id, path, source, digest });
    return `${ownFields.slice(0, -1)},${utf8.decode(json).slice(1)}`;
  });
  return sql`jsonb_to_recordset(${`[${rows.join(",")}]`}::text::jsonb) as r (id text, path text, source text,
    digest text, slug text, name text, description text, tags jsonb, body text, metadata jsonb)`;
};
const tags = sql`array(select jsonb_array_elements_text(r.tags))`;
const insertVersions = sql`
  insert into template_versions (template_id, version, org_id, slug, name, description, tags, body, metadata,
    commit_sha, commit_author)
  select id, version, org_id, slug, name, description, tags, body, metadata, commit_sha, commit_author from t`;

export const insertMany = (tx: Db, orgId: OrgId, origin: Origin, writes: (Write & { id: string })[]) =>
  tx.run(sql`
    with t as (
      insert into templates (id, org_id, slug, name, description, tags, body, metadata, version, digest,
        connector_id, path, source, commit_sha, commit_author)
      select r.id, ${orgId}::text, r.slug, r.name, r.description, ${tags}, r.body, r.metadata, 1, r.digest,
        ${origin.connectorId}::text, r.path, r.source, ${origin.commit}::text, ${origin.author}::text
      from ${selectWrites(writes)}
      returning *)
    ${insertVersions}`);

export const updateMany = (tx: Db, orgId: OrgId, origin: Origin, writes: (Write & { id: string })[]) =>
  tx.run(sql`
    with t as (
      update templates t set slug = r.slug, name = r.name, description = r.description, tags = ${tags},
        body = r.body, metadata = r.metadata, version = t.version + 1, digest = r.digest, path = r.path,
        source = r.source, commit_sha = ${origin.commit}, commit_author = ${origin.author}, updated_by = null,
        updated_at = now()
      from ${selectWrites(writes)}
      where t.org_id = ${orgId} and t.id = r.id
      returning t.*)
    ${insertVersions}`);

/** Sets temporary slugs, so that files can exchange slugs across several statements. */
export const setTemporarySlugs = (tx: Db, orgId: OrgId, ids: string[]) =>
  tx.run(sql`
    update templates set slug = '~' || id where org_id = ${orgId} and id = any(${ids}::text[])`);
