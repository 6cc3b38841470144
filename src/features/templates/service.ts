import type { MemberCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { violatedConstraint } from "../../platform/db/index.ts";
import { conflict, invalidField, notFound } from "../../platform/errors.ts";
import { cutPage, defineNumberCursor, type PageQuery, readPage } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import { takeQuota } from "../quotas/index.ts";
import type { ListQuery, Template } from "./contract.ts";
import { computeDigest } from "./digest.ts";
import { createSlug, type TemplateContent } from "./fields.ts";
import { checkStorage, removeOldVersions } from "./storage.ts";
import * as store from "./store.ts";

const noTemplate = () => notFound("template");
function parseTemplateId(id: string): store.TemplateId {
  if (!isId("tpl", id)) throw noTemplate();
  return id;
}

const maxWords = 8;

export async function list(ctx: MemberCtx, query: ListQuery) {
  const words = [...new Set((query.q ?? "").split(/\s+/).filter(Boolean))];
  if (words.length > maxWords)
    throw invalidField(["q"], `A search takes ${maxWords} words at most. Leave some out.`);
  const { slug = null, connectorId = null, tag = null } = query;
  return readPage(store.list(ctx.db, ctx.orgId, { slug, connectorId, words, tag }), query, "tpl");
}

export async function read({ db, orgId, caller }: MemberCtx, id: string): Promise<{ template: Template }> {
  if (caller.limitedTo && !caller.limitedTo.has(id)) throw noTemplate();
  const template = await store.find(db, orgId, parseTemplateId(id));
  if (!template) throw noTemplate();
  return { template };
}

type NewTemplate = Omit<TemplateContent, "slug"> & { slug?: string | undefined };

export async function create(ctx: MemberCtx, { slug: given, ...content }: NewTemplate) {
  const slug = given ?? createSlug(content.name);
  if (!slug) throw invalidField(["slug"], "No slug can be derived from this name. Give a slug.");
  return ctx.db.transaction(async (tx) => {
    await store.lockWriting(tx, ctx.orgId);
    await takeQuota(ctx, tx, ctx.orgId, "templates");
    await checkStorage(ctx, tx, content);
    const id = newId("tpl");
    const template = { ...content, slug };
    await refuseTakenSlug(
      slug,
      store.insert(tx, ctx.orgId, id, ctx.member.id, template, computeDigest(template)),
    );
    await record(ctx, tx, { action: "template.created", target: { type: "template", id }, after: template });
    return read({ ...ctx, db: tx }, id);
  });
}

async function refuseTakenSlug<T>(slug: string, writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    if (violatedConstraint(error) !== "templates_org_id_slug_key") throw error;
    throw conflict("template_slug_taken", `Another template has the slug ${slug}. Choose another one.`);
  }
}

type Change = { [Name in keyof TemplateContent]?: TemplateContent[Name] | undefined } & {
  version?: number | undefined;
};

export async function change(ctx: MemberCtx, id: string, { version, ...given }: Change) {
  return ctx.db.transaction(async (tx) => {
    if (given.slug !== undefined) await store.lockWriting(tx, ctx.orgId);
    const template = await lockManual(tx, ctx, id);
    if (version !== undefined && version !== template.version) {
      throw conflict(
        "template_version_conflict",
        `It is at version ${template.version} by now. Read it again, then change that.`,
        { version: template.version },
      );
    }
    const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const next = { ...template, ...set } as Template;
    const digest = computeDigest(next);
    if (digest !== computeDigest(template)) {
      await checkStorage(ctx, tx, next);
      await refuseTakenSlug(
        next.slug,
        store.update(tx, ctx.orgId, parseTemplateId(id), ctx.member.id, next, digest),
      );
      await removeOldVersions(ctx, tx, ctx.orgId, { templateId: parseTemplateId(id) });
      const target = { type: "template", id };
      await record(ctx, tx, { action: "template.changed", target, before: template, after: next });
    }
    return read({ ...ctx, db: tx }, id);
  });
}

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const template = await lockManual(tx, ctx, id);
    await store.remove(tx, ctx.orgId, parseTemplateId(id));
    const { name, slug, version } = template;
    const target = { type: "template", id };
    await record(ctx, tx, { action: "template.removed", target, before: { name, slug, version } });
  });
}

async function lockManual(tx: Db, { orgId }: MemberCtx, id: string): Promise<Template> {
  const template = await store.lock(tx, orgId, parseTemplateId(id));
  if (!template) throw noTemplate();
  const { source } = template;
  if (source) {
    throw conflict(
      "template_is_synced",
      `It follows ${source.path} of the connector ${source.connectorName}. Change it there, or remove the connector and keep its templates.`,
      { connectorId: source.connectorId, path: source.path },
    );
  }
  return template;
}

const versionCursor = defineNumberCursor("version");

export async function listVersions(ctx: MemberCtx, id: string, query: PageQuery) {
  await read(ctx, id);
  const before = versionCursor.read(query, null);
  const rows = await store.listVersions(ctx.db, ctx.orgId, parseTemplateId(id), before, query.limit + 1);
  return cutPage(rows, query, ({ version }) => versionCursor.write(version));
}

export async function readVersion(ctx: MemberCtx, id: string, number: string) {
  const wanted = /^[1-9]\d{0,8}$/.test(number) ? Number(number) : undefined;
  await read(ctx, id);
  const version = wanted && (await store.findVersion(ctx.db, ctx.orgId, parseTemplateId(id), wanted));
  if (!version) throw notFound("template_version");
  return { version };
}
