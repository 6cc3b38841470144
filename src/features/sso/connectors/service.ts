import type { MemberCtx, Membership, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, invalidField, notFound } from "../../../platform/errors.ts";
import {
  cutPageById,
  invalidateCallers,
  type PageQuery,
  readIdCursor,
} from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { removeSessionsOfConnector } from "../../auth/index.ts";
import { takeQuota } from "../../quotas/index.ts";
import { lockAuthority, requireGrantableRole } from "../../roles/index.ts";
import { checkMayMap, countTeams } from "../../teams/index.ts";
import { describeCertificateHealth } from "./certificates.ts";
import type { Change, GroupMapping, NewOidc, SsoConnector } from "./contract.ts";
import { createOidcSettings, openClientSecrets, planOidcChange, sealSecret } from "./oidc.ts";
import { describeSaml, planSamlChange } from "./saml.ts";
import * as store from "./store.ts";

export const buildUrl = (publicUrl: string, id: string, path: string) => `${publicUrl}/v1/sso/${id}/${path}`;

/** The enabled connectors whose provider's certificate ends soon or has ended. */
export async function listEndingCertificates(db: Db, orgId: OrgId) {
  const rows = await store.listSaml(db, orgId);
  return rows
    .map(({ id, name, settings }) => ({ id, name, ...describeCertificateHealth(settings, Date.now()) }))
    .filter(({ certificateState }) => certificateState !== "valid");
}

/** A connector without its secrets, as the API shows it. */
function toConnector(publicUrl: string, row: store.ConnectorRow): SsoConnector {
  const shared = {
    id: row.id,
    name: row.name,
    enabled: row.enabled,
    startUrl: buildUrl(publicUrl, row.id, "start"),
    defaultRole: row.defaultRole,
    groupMappings: row.groupMappings,
    createsMembers: row.createsMembers,
    testedAt: row.testedAt,
    testedByUserId: row.testedBy,
    health: {
      lastSignInAt: row.lastSignInAt,
      lastErrorAt: row.lastErrorAt,
      lastErrorCode: row.lastErrorCode,
      lastError: row.lastError,
      signIns: row.signIns,
      failures: row.failures,
      ...(row.kind === "saml"
        ? describeCertificateHealth(row.settings, Date.now())
        : { certificateEndsAt: null, certificateState: null }),
    },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
  if (row.kind === "saml") {
    const address = (path: string) => buildUrl(publicUrl, row.id, path);
    return { ...shared, ...describeSaml(address, row) };
  }
  const { settings } = row;
  return {
    ...shared,
    kind: "oidc",
    issuer: settings.issuer,
    endpoints: settings.endpoints,
    clientId: settings.clientId,
    hasClientSecret: row.clientSecret !== null,
    earlierSecretUntil: row.earlierSecretUntil,
    tokenEndpointAuthMethod: settings.authMethod,
    scopes: settings.scopes,
    claims: settings.claims,
    redirectUri: buildUrl(publicUrl, row.id, "callback"),
  };
}

export async function list({ db, orgId, config }: MemberCtx, query: PageQuery) {
  const rows = await store.list(db, orgId, readIdCursor(query, "sso"), query.limit + 1);
  const { items, nextCursor } = cutPageById(rows, query);
  return { items: items.map((row) => toConnector(config.publicUrl, row)), nextCursor };
}

export async function requireConnector(
  { db, orgId }: Pick<MemberCtx, "db" | "orgId">,
  id: string,
): Promise<store.ConnectorRow> {
  const row = isId("sso", id) ? await store.find(db, orgId, id) : undefined;
  if (!row) throw notFound("sso_connector");
  return row;
}

export const read = async (ctx: MemberCtx, id: string) => ({
  connector: toConnector(ctx.config.publicUrl, await requireConnector(ctx, id)),
});

interface Rules {
  defaultRole: string;
  groupMappings: readonly GroupMapping[];
}

/**
 * Nobody gives more rights than they have, and a provider never gives the role of an owner. Teams of `before` may have
 * been removed since: that must not prevent another change, such as disabling the connector.
 */
async function checkRules(
  tx: Db,
  actor: Membership,
  { defaultRole, groupMappings }: Rules,
  before: readonly GroupMapping[] = [],
): Promise<void> {
  const refuseOwner = (role: string, path: (string | number)[]) => {
    if (role === "owner")
      throw invalidField(path, "Single sign-on never gives the role owner. An owner gives it to a member.");
  };
  refuseOwner(defaultRole, ["defaultRole"]);
  for (const [index, { role, teamId }] of groupMappings.entries()) {
    if (role === undefined && teamId === undefined)
      throw invalidField(["groupMappings", index], "A mapping gives a role, or a team, or both.");
    if (role !== undefined) refuseOwner(role, ["groupMappings", index, "role"]);
  }
  const roles = new Set([defaultRole, ...groupMappings.flatMap(({ role }) => role ?? [])]);
  for (const role of roles) await requireGrantableRole(tx, actor, role);
  const mapped = [...new Set(groupMappings.flatMap(({ teamId }) => teamId ?? []))];
  await checkMayMap(tx, actor, mapped);
  const known = new Set(before.map(({ teamId }) => teamId));
  const teams = mapped.filter((id) => !known.has(id));
  if ((await countTeams(tx, actor.orgId, teams)) < teams.length)
    throw invalidField(["groupMappings"], "One of these teams does not exist. GET /v1/teams lists them.");
}

export async function createOidc(ctx: MemberCtx, body: NewOidc) {
  const settings = createOidcSettings(ctx, body);
  const id = newId("sso");
  return insertConnector(ctx, {
    id,
    kind: "oidc",
    name: body.name,
    settings,
    clientSecret: sealSecret(ctx, id, settings, body.clientSecret),
    defaultRole: body.defaultRole ?? "member",
    groupMappings: body.groupMappings ?? [],
    createsMembers: body.createsMembers ?? true,
  });
}

/** `also` runs in the transaction that inserts the connector. */
export async function insertConnector(
  ctx: MemberCtx,
  given: store.NewConnector,
  also?: (tx: Db) => Promise<void>,
) {
  const { orgId, config } = ctx;
  return ctx.db.transaction(async (tx) => {
    await checkRules(tx, await lockAuthority(ctx, tx, "sso:manage"), given);
    await takeQuota(ctx, tx, orgId, "sso_connectors");
    const connector = toConnector(config.publicUrl, (await store.insert(tx, orgId, given))!);
    await also?.(tx);
    await record(ctx, tx, { action: "sso.created", target: toTarget(given.id), after: connector });
    return { connector };
  });
}

export const change = (ctx: MemberCtx, id: string, body: Change) =>
  changeRow(ctx, id, (before) =>
    before.kind === "saml" ? planSamlChange(before, body) : planOidcChange(ctx, before, body),
  );

const overlapHours = 24;

export const rotateSecret = (ctx: MemberCtx, id: string, { clientSecret }: { clientSecret: string }) =>
  changeRow(
    ctx,
    id,
    (before) => {
      if (before.kind !== "oidc")
        throw invalidField(
          ["clientSecret"],
          "A SAML connector has a certificate instead of a client secret.",
        );
      const [current] = openClientSecrets(ctx, before, Date.now());
      if (before.settings.authMethod === "none")
        throw invalidField(["clientSecret"], "This client is public. Change tokenEndpointAuthMethod first.");
      return {
        ...before,
        clientSecret: sealSecret(ctx, before.id, before.settings, clientSecret),
        earlierClientSecret: sealSecret(ctx, before.id, before.settings, current, "earlier_client_secret"),
        earlierHours: current === undefined ? null : overlapHours,
        keepsTest: true,
      };
    },
    "sso.secret_rotated",
  );

type ChangeAction = "sso.changed" | "sso.secret_rotated" | "sso.metadata_approved";

export async function changeRow(
  ctx: MemberCtx,
  id: string,
  plan: (before: store.ConnectorRow, tx: Db) => store.Update | Promise<store.Update>,
  action: ChangeAction = "sso.changed",
) {
  const { orgId, config } = ctx;
  return ctx.db.transaction(async (tx) => {
    const actor = await lockAuthority(ctx, tx, "sso:manage");
    const before = isId("sso", id) ? await store.lock(tx, orgId, id) : undefined;
    if (!before) throw notFound("sso_connector");
    const to = await plan(before, tx);
    await checkRules(tx, actor, to, before.groupMappings);
    if (before.enabled && !to.enabled) {
      await refuseLastRequired(tx, before);
      await endSessions(ctx, tx, before);
    }
    const connector = toConnector(config.publicUrl, (await store.update(tx, orgId, before.id, to))!);
    const states =
      action === "sso.secret_rotated" && connector.kind === "oidc"
        ? { after: { earlierSecretUntil: connector.earlierSecretUntil } }
        : { before: toConnector(config.publicUrl, before), after: connector };
    await record(ctx, tx, { action, target: toTarget(id), ...states });
    return { connector };
  });
}

/** Without a connector nobody could sign in, so this is refused rather than lock everybody out. */
async function refuseLastRequired(tx: Db, { orgId, id }: store.ConnectorRow): Promise<void> {
  if (await store.isLastRequired(tx, orgId, id))
    throw conflict(
      "sso_required",
      "The organization requires single sign-on, and this is its last enabled connector. Stop requiring it first.",
    );
}

async function endSessions(ctx: MemberCtx, tx: Db, { orgId, id }: store.ConnectorRow): Promise<void> {
  await removeSessionsOfConnector(tx, orgId, id);
  await invalidateCallers(ctx.bus, tx, orgId);
}

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  const { orgId, config } = ctx;
  await ctx.db.transaction(async (tx) => {
    await lockAuthority(ctx, tx, "sso:manage");
    const before = isId("sso", id) ? await store.lock(tx, orgId, id) : undefined;
    if (!before) throw notFound("sso_connector");
    await refuseLastRequired(tx, before);
    await endSessions(ctx, tx, before);
    await store.remove(tx, orgId, before.id);
    await record(ctx, tx, {
      action: "sso.removed",
      target: toTarget(id),
      before: toConnector(config.publicUrl, before),
    });
  });
}

const toTarget = (id: string) => ({ type: "sso_connector", id });
