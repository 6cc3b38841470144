import type { MemberCtx, Platform } from "../../platform/context.ts";
import { invalidField, notFound } from "../../platform/errors.ts";
import { afterOf, type PageQuery, page } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import { takeQuota } from "../quotas/index.ts";
import { keepTemplates, removeTemplates } from "../templates/index.ts";
import { type AccessInput, keepAccess } from "./access/index.ts";
import * as address from "./address.ts";
import type { CodeHost, Connector } from "./contract.ts";
import { forgetSecrets } from "./hooks/secret-cache.ts";
import { makeSecret } from "./secrets/index.ts";
import { setupOf } from "./setup.ts";
import * as store from "./store.ts";
import { queueSync } from "./syncs/index.ts";

const noConnector = () => notFound("connector");
function idOf(id: string): store.ConnectorId {
  if (!isId("con", id)) throw noConnector();
  return id;
}

const shown = ({ config }: Pick<Platform, "config">, row: store.ConnectorRow): Connector => ({
  ...row,
  webhookUrl: `${config.publicUrl}/v1/webhooks/connectors/codehost?connector=${row.id}`,
});

export async function list(ctx: MemberCtx, query: PageQuery) {
  const rows = await store.list(ctx.db, ctx.orgId, afterOf(query), query.limit + 1);
  return page(
    rows.map((row) => shown(ctx, row)),
    query,
  );
}

export async function read(ctx: MemberCtx, id: string) {
  const row = await store.find(ctx.db, ctx.orgId, idOf(id));
  if (!row) throw noConnector();
  const connector = shown(ctx, row);
  return { connector, setup: setupOf(connector, null) };
}

interface NewConnector {
  name: string;
  codehost: CodeHost;
  baseUrl?: string | undefined;
  repository: string;
  cloneUrl?: string | undefined;
  ref: string;
  folder: string;
  installationId?: string | undefined;
  access: AccessInput;
}

/** What is worth remembering of a change. Access is told by its kind; its secrets are nowhere. */
const stateOf = ({
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
  const baseUrl = given.baseUrl === undefined ? null : address.plainBaseUrl(given.baseUrl);
  const repository = address.plainRepository(codehost, given.repository);
  const target: store.Target = {
    name: given.name,
    baseUrl,
    repository,
    cloneUrl: address.cloneUrlOf(codehost, baseUrl, repository, given.cloneUrl),
    ref: address.fullRef(given.ref),
    folder: address.plainFolder(given.folder),
    installationId: given.installationId ?? null,
  };
  checkReach(ctx, target, access.kind !== "none");
  checkInstallation(access, target);
  const id = newId("con");
  return ctx.db.transaction(async (tx) => {
    await takeQuota(ctx, tx, ctx.orgId, "connectors");
    const kept = keepAccess(ctx.keyring, { ...target, id, codehost, orgId: ctx.orgId }, access);
    await store.insert(tx, ctx.orgId, { ...target, id, codehost, access: kept, createdBy: ctx.member.id });
    const { webhookSecret } = await makeSecret(ctx.keyring, tx, ctx.orgId, id);
    await queueSync(ctx, tx, ctx.orgId, id, { cause: "created", requestedBy: ctx.member.id });
    const { connector } = await read({ ...ctx, db: tx }, id);
    await record(ctx, tx, {
      action: "connector.created",
      target: { type: "connector", id },
      after: stateOf(connector),
    });
    return { connector, webhookSecret, setup: setupOf(connector, webhookSecret) };
  });
}

/** What the guard would refuse without looking anything up is refused now, while somebody is there to read it. */
function checkReach(
  { egress }: Pick<Platform, "egress">,
  { baseUrl, cloneUrl }: store.Target,
  secret: boolean,
) {
  for (const [field, url] of Object.entries({ cloneUrl, baseUrl })) {
    if (url === null) continue;
    const refusal = egress.refusal(url);
    if (refusal) throw invalidField([field], refusal);
    if (secret && !address.mayCarrySecrets(url))
      throw invalidField([field], "A token or key is only sent over https. Use an https address.");
  }
}

function checkInstallation(access: AccessInput | undefined, { installationId }: store.Target) {
  if (access?.kind === "github_app" && !access.installationId && installationId === null)
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
    const before = await store.lock(tx, ctx.orgId, idOf(id));
    if (!before) throw noConnector();
    const connectorId = before.id as store.ConnectorId;
    const target = changed(before, given);
    const { access } = given;
    const secret = (access?.kind ?? before.access.kind) !== "none";
    checkReach(ctx, target, secret);
    checkInstallation(access, target);
    const bound = { ...target, id: connectorId, codehost: before.codehost, orgId: ctx.orgId };
    if (secret && !access && address.serversOf(bound) !== address.serversOf(before)) {
      throw invalidField(
        ["access"],
        "Give access again: what was given for one server is not sent to another.",
      );
    }
    await store.update(tx, ctx.orgId, connectorId, target);
    if (access) await store.setAccess(tx, ctx.orgId, connectorId, keepAccess(ctx.keyring, bound, access));
    const status = given.status ?? before.status;
    if (status !== before.status) {
      const reason = status === "disabled" ? "Switched off by a member." : null;
      await store.setStatus(tx, ctx.orgId, connectorId, status, reason);
    }
    const readsOtherwise =
      access !== undefined ||
      (["cloneUrl", "ref", "folder"] as const).some((field) => target[field] !== before[field]);
    if (status === "active" && (readsOtherwise || before.status !== "active")) {
      await queueSync(ctx, tx, ctx.orgId, connectorId, { cause: "changed", requestedBy: ctx.member.id });
    }
    const after = await read({ ...ctx, db: tx }, id);
    await record(ctx, tx, {
      action: "connector.changed",
      target: { type: "connector", id },
      before: stateOf(before),
      after: { ...stateOf(after.connector), ...(access ? { accessGivenAnew: true } : {}) },
    });
    return after;
  });
}

function changed(before: store.ConnectorRow, given: Change): store.Target {
  const { codehost } = before;
  const baseUrl =
    given.baseUrl === undefined
      ? before.baseUrl
      : given.baseUrl === null
        ? null
        : address.plainBaseUrl(given.baseUrl);
  const repository =
    given.repository === undefined ? before.repository : address.plainRepository(codehost, given.repository);
  return {
    name: given.name ?? before.name,
    baseUrl,
    repository,
    cloneUrl: nextCloneUrl(),
    ref: given.ref === undefined ? before.ref : address.fullRef(given.ref),
    folder: given.folder === undefined ? before.folder : address.plainFolder(given.folder),
    installationId: given.installationId === undefined ? before.installationId : given.installationId,
  };

  /** One that was made from the others is made anew; one that was given stays, unless it would now be wrong. */
  function nextCloneUrl(): string {
    if (given.cloneUrl !== undefined)
      return address.cloneUrlOf(codehost, baseUrl, repository, given.cloneUrl);
    if (repository === before.repository && baseUrl === before.baseUrl) return before.cloneUrl;
    const base = address.baseUrlOf(codehost, before.baseUrl);
    if (before.cloneUrl !== `${base}/${before.repository}.git`)
      throw invalidField(
        ["cloneUrl"],
        "This connector has a clone URL of its own. Give the new one as well.",
      );
    return address.cloneUrlOf(codehost, baseUrl, repository, undefined);
  }
}

export async function remove(ctx: MemberCtx, id: string, templates: "keep" | "remove"): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const connector = await store.lock(tx, ctx.orgId, idOf(id));
    if (!connector) throw noConnector();
    const settle = templates === "keep" ? keepTemplates : removeTemplates;
    await settle(tx, ctx.orgId, connector.id);
    await store.remove(tx, ctx.orgId, connector.id as store.ConnectorId);
    await forgetSecrets(ctx.bus, tx, connector.id);
    await record(ctx, tx, {
      action: "connector.removed",
      target: { type: "connector", id },
      before: { ...stateOf(connector), templates },
    });
  });
}
