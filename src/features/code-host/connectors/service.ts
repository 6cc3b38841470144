import type { MemberCtx, Platform } from "../../../platform/context.ts";
import { invalidField, notFound } from "../../../platform/errors.ts";
import { cutPageById, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { takeQuota } from "../../quotas/index.ts";
import { detachTemplates, removeTemplates } from "../../templates/index.ts";
import { type AccessInput, sealAccess } from "../access/index.ts";
import * as codeHosts from "../code-hosts.ts";
import { createSecret, forgetSecrets } from "../secrets/index.ts";
import { queueSync } from "../syncs/index.ts";
import type { Connector } from "./contract.ts";
import { describeSetup } from "./setup.ts";
import * as store from "./store.ts";

const connectorNotFound = () => notFound("connector");
function parseConnectorId(id: string): store.ConnectorId {
  if (!isId("con", id)) throw connectorNotFound();
  return id;
}

const toConnector = ({ config }: Pick<Platform, "config">, row: store.ConnectorRow): Connector => ({
  ...row,
  webhookUrl: `${config.publicUrl}/v1/webhooks/connectors/codehost?connector=${row.id}`,
});

export async function list(ctx: MemberCtx, query: PageQuery) {
  const rows = await store.list(ctx.db, ctx.orgId, readIdCursor(query, "con"), query.limit + 1);
  return cutPageById(
    rows.map((row) => toConnector(ctx, row)),
    query,
  );
}

export async function read(ctx: MemberCtx, id: string) {
  const row = await store.find(ctx.db, ctx.orgId, parseConnectorId(id));
  if (!row) throw connectorNotFound();
  const connector = toConnector(ctx, row);
  return { connector, setup: describeSetup(connector, null) };
}

interface NewConnector {
  name: string;
  codehost: codeHosts.CodeHost;
  baseUrl?: string | undefined;
  repository: string;
  cloneUrl?: string | undefined;
  ref: string;
  folder: string;
  installationId?: string | undefined;
  access: AccessInput;
}

/** The state that the audit log records. Access is recorded without its secrets. */
const describeForAudit = ({
  name,
  baseUrl,
  repository,
  cloneUrl,
  ref,
  folder,
  installationId,
  access,
  status,
}: store.ConnectorRow) => ({
  ...{ name, baseUrl, repository, cloneUrl, ref, folder, installationId, access, status },
});

export async function create(ctx: MemberCtx, given: NewConnector) {
  const { codehost, access } = given;
  const baseUrl = given.baseUrl === undefined ? null : codeHosts.normalizeBaseUrl(given.baseUrl);
  const repository = codeHosts.normalizeRepository(codehost, given.repository);
  const settings: store.Settings = {
    name: given.name,
    baseUrl,
    repository,
    cloneUrl: codeHosts.buildCloneUrl(codehost, baseUrl, repository, given.cloneUrl),
    ref: codeHosts.normalizeRef(given.ref),
    folder: codeHosts.normalizeFolder(given.folder),
    installationId: given.installationId ?? null,
  };
  checkAddress(ctx, settings, access.kind !== "none");
  checkInstallation(access, settings);
  const id = newId("con");
  return ctx.db.transaction(async (tx) => {
    await takeQuota(ctx, tx, ctx.orgId, "connectors");
    const sealed = sealAccess(ctx.keyring, { ...settings, id, codehost, orgId: ctx.orgId }, access);
    await store.insert(tx, ctx.orgId, {
      ...settings,
      id,
      codehost,
      access: sealed,
      createdBy: ctx.member.id,
    });
    const { webhookSecret } = await createSecret(ctx.keyring, tx, ctx.orgId, id);
    await queueSync(ctx, tx, ctx.orgId, id, { cause: "created", requestedBy: ctx.member.id });
    const { connector } = await read({ ...ctx, db: tx }, id);
    await record(ctx, tx, {
      action: "connector.created",
      target: { type: "connector", id },
      after: describeForAudit(connector),
    });
    return { connector, webhookSecret, setup: describeSetup(connector, webhookSecret) };
  });
}

/** Refuses addresses that the egress guard would refuse without a lookup, while a person can still read the message. */
function checkAddress(
  { egress }: Pick<Platform, "egress">,
  { baseUrl, cloneUrl }: store.Settings,
  secret: boolean,
) {
  for (const [field, url] of Object.entries({ cloneUrl, baseUrl })) {
    if (url === null) continue;
    const refusal = egress.refusal(url);
    if (refusal) throw invalidField([field], refusal);
    if (secret && !codeHosts.mayCarrySecrets(url))
      throw invalidField([field], "A token or key is only sent over https. Use an https address.");
  }
}

function checkInstallation(
  access: Pick<Connector["access"], "kind" | "installationId">,
  { installationId }: store.Settings,
) {
  if (access.kind === "github_app" && !access.installationId && installationId === null)
    throw invalidField(
      ["access", "installationId"],
      "A GitHub App reads through an installation. Give the number at the end of its settings page's address.",
    );
}

interface Change {
  name?: string | undefined;
  baseUrl?: string | null | undefined;
  repository?: string | undefined;
  cloneUrl?: string | undefined;
  ref?: string | undefined;
  folder?: string | undefined;
  installationId?: string | null | undefined;
  access?: AccessInput | undefined;
  status?: "active" | "disabled" | undefined;
}

export async function change(ctx: MemberCtx, id: string, given: Change) {
  return ctx.db.transaction(async (tx) => {
    const before = await store.lock(tx, ctx.orgId, parseConnectorId(id));
    if (!before) throw connectorNotFound();
    const connectorId = before.id as store.ConnectorId;
    const settings = applyChange(before, given);
    const { access } = given;
    const secret = (access?.kind ?? before.access.kind) !== "none";
    checkAddress(ctx, settings, secret);
    if (access || given.installationId !== undefined) checkInstallation(access ?? before.access, settings);
    const bound = { ...settings, id: connectorId, codehost: before.codehost, orgId: ctx.orgId };
    if (secret && !access && codeHosts.listServers(bound) !== codeHosts.listServers(before)) {
      throw invalidField(
        ["access"],
        "Give access again: what was given for one server is not sent to another.",
      );
    }
    await store.update(tx, ctx.orgId, connectorId, settings);
    if (access) await store.setAccess(tx, ctx.orgId, connectorId, sealAccess(ctx.keyring, bound, access));
    const status = given.status ?? before.status;
    if (status !== before.status) {
      const reason = status === "disabled" ? "Switched off by a member." : null;
      await store.setStatus(tx, ctx.orgId, connectorId, status, reason);
    }
    const readsOtherContent =
      access !== undefined ||
      (["cloneUrl", "ref", "folder"] as const).some((field) => settings[field] !== before[field]);
    if (status === "active" && (readsOtherContent || before.status !== "active")) {
      await queueSync(ctx, tx, ctx.orgId, connectorId, { cause: "changed", requestedBy: ctx.member.id });
    }
    const after = await read({ ...ctx, db: tx }, id);
    await record(ctx, tx, {
      action: "connector.changed",
      target: { type: "connector", id },
      before: describeForAudit(before),
      after: { ...describeForAudit(after.connector), ...(access ? { accessGivenAnew: true } : {}) },
    });
    return after;
  });
}

function applyChange(before: store.ConnectorRow, given: Change): store.Settings {
  const { codehost } = before;
  const baseUrl =
    given.baseUrl === undefined
      ? before.baseUrl
      : given.baseUrl === null
        ? null
        : codeHosts.normalizeBaseUrl(given.baseUrl);
  const repository =
    given.repository === undefined
      ? before.repository
      : codeHosts.normalizeRepository(codehost, given.repository);
  return {
    name: given.name ?? before.name,
    baseUrl,
    repository,
    cloneUrl: nextCloneUrl(),
    ref: given.ref === undefined ? before.ref : codeHosts.normalizeRef(given.ref),
    folder: given.folder === undefined ? before.folder : codeHosts.normalizeFolder(given.folder),
    installationId: given.installationId === undefined ? before.installationId : given.installationId,
  };

  /** A clone URL that was built is built again. One that was given stays, unless it would now be wrong. */
  function nextCloneUrl(): string {
    if (given.cloneUrl !== undefined)
      return codeHosts.buildCloneUrl(codehost, baseUrl, repository, given.cloneUrl);
    if (repository === before.repository && baseUrl === before.baseUrl) return before.cloneUrl;
    const base = codeHosts.findBaseUrl(codehost, before.baseUrl);
    if (before.cloneUrl !== `${base}/${before.repository}.git`)
      throw invalidField(
        ["cloneUrl"],
        "This connector has a clone URL of its own. Give the new one as well.",
      );
    return codeHosts.buildCloneUrl(codehost, baseUrl, repository, undefined);
  }
}

export async function remove(ctx: MemberCtx, id: string, templates: "keep" | "remove"): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const connector = await store.lock(tx, ctx.orgId, parseConnectorId(id));
    if (!connector) throw connectorNotFound();
    const detach = templates === "keep" ? detachTemplates : removeTemplates;
    await detach(tx, ctx.orgId, connector.id);
    await store.remove(tx, ctx.orgId, connector.id as store.ConnectorId);
    await forgetSecrets(ctx.bus, tx, connector.id);
    await record(ctx, tx, {
      action: "connector.removed",
      target: { type: "connector", id },
      before: { ...describeForAudit(connector), templates },
    });
  });
}
