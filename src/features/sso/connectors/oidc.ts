import { isDeepStrictEqual } from "node:util";
import type { Ctx, MemberCtx } from "../../../platform/context.ts";
import { invalidField } from "../../../platform/errors.ts";
import type { Change, NewOidc } from "./contract.ts";
import { refuseSamlFields } from "./saml.ts";
import { createSecretPlace, type OidcSettings } from "./settings.ts";
import type * as store from "./store.ts";

function checkAddresses({ egress }: MemberCtx, { issuer, endpoints }: OidcSettings): void {
  for (const [name, url] of Object.entries({ issuer, ...endpoints })) {
    const refusal = url === undefined ? undefined : egress.refusal(url);
    if (refusal !== undefined) throw invalidField([name === "issuer" ? "issuer" : "endpoints"], refusal);
  }
}

const withOpenId = (scopes: readonly string[] = ["email", "profile"]) => [...new Set(["openid", ...scopes])];

export function createOidcSettings(ctx: MemberCtx, body: NewOidc): OidcSettings {
  const settings: OidcSettings = {
    issuer: body.issuer,
    endpoints: body.endpoints ?? null,
    clientId: body.clientId,
    authMethod: body.tokenEndpointAuthMethod ?? null,
    scopes: withOpenId(body.scopes),
    claims: { email: "email", name: "name", groups: "groups", ...dropUndefined(body.claims ?? {}) },
  };
  checkAddresses(ctx, settings);
  checkAuthMethod(settings, body.clientSecret !== undefined);
  return settings;
}

export const sealSecret = (
  { keyring, orgId }: MemberCtx,
  id: string,
  settings: OidcSettings,
  secret: string | undefined,
  column: "client_secret" | "earlier_client_secret" = "client_secret",
): string | null =>
  secret === undefined ? null : keyring.seal(secret, createSecretPlace(orgId, id, column, settings));

/** The secrets to authenticate with, the current one first. */
export function openClientSecrets(
  { keyring }: Pick<Ctx, "keyring">,
  row: store.ConnectorRow,
  now: number,
): string[] {
  const { orgId, id, settings, clientSecret, earlierClientSecret, earlierSecretUntil } = row;
  const open = (sealed: string, column: "client_secret" | "earlier_client_secret") =>
    keyring.open(sealed, createSecretPlace(orgId, id, column, settings));
  return [
    ...(clientSecret === null ? [] : [open(clientSecret, "client_secret")]),
    ...(earlierClientSecret !== null && (earlierSecretUntil ?? 0) > now
      ? [open(earlierClientSecret, "earlier_client_secret")]
      : []),
  ];
}

function checkAuthMethod({ authMethod }: OidcSettings, hasSecret: boolean): void {
  if (authMethod !== null && (authMethod === "none") === hasSecret)
    throw invalidField(
      ["tokenEndpointAuthMethod"],
      hasSecret ? "A client with a secret authenticates with it." : "This method needs a client secret.",
    );
}

const dropUndefined = <T extends object>(given: T) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };

export function planOidcChange(ctx: MemberCtx, before: store.OidcRow, body: Change): store.Update {
  refuseSamlFields(body);
  const { name = before.name, enabled = before.enabled, clientSecret } = body;
  const settings: OidcSettings = {
    ...before.settings,
    endpoints: body.endpoints === undefined ? before.settings.endpoints : body.endpoints,
    clientId: body.clientId ?? before.settings.clientId,
    authMethod:
      body.tokenEndpointAuthMethod === undefined ? before.settings.authMethod : body.tokenEndpointAuthMethod,
    scopes: body.scopes ? withOpenId(body.scopes) : before.settings.scopes,
    claims: { ...before.settings.claims, ...dropUndefined(body.claims ?? {}) },
  };
  checkAddresses(ctx, settings);
  const isElsewhere = !isDeepStrictEqual(settings.endpoints, before.settings.endpoints);
  const isOther = isElsewhere || settings.clientId !== before.settings.clientId;
  if (isOther && before.clientSecret !== null && clientSecret === undefined)
    throw invalidField(
      ["clientSecret"],
      "Send the client secret too: the stored one belongs to the earlier client and its addresses.",
    );
  checkAuthMethod(settings, clientSecret !== undefined || before.clientSecret !== null);
  return {
    name,
    enabled,
    settings,
    clientSecret:
      clientSecret === undefined ? before.clientSecret : sealSecret(ctx, before.id, settings, clientSecret),
    earlierClientSecret: isOther || clientSecret !== undefined ? null : before.earlierClientSecret,
    ...(isOther || clientSecret !== undefined ? { earlierHours: null } : {}),
    defaultRole: body.defaultRole ?? before.defaultRole,
    groupMappings: body.groupMappings ?? before.groupMappings,
    createsMembers: body.createsMembers ?? before.createsMembers,
    keepsTest: isDeepStrictEqual(settings, before.settings) && clientSecret === undefined,
  };
}
