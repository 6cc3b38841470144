import type { MemberCtx } from "../../../platform/context.ts";
import { ReferenceRemoved } from "../../../platform/db/index.ts";
import { forbidden, invalidField, invalidRequest, Refusal } from "../../../platform/errors.ts";
import { parseReturnPath } from "../../../platform/http/index.ts";
import { newId } from "../../../platform/ids.ts";
import { buildAuthorizeUrl, OAuthFailure } from "../../../platform/oauth/index.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import { findUser } from "../../auth/index.ts";
import { findOrganization } from "../../organizations/index.ts";
import {
  buildRedirectUri,
  type ClientRow,
  clientNotConfigured,
  describeDestination,
  discoverServer,
  findAnySetup,
  findRecentSetup,
  findServerOfClient,
  findSetup,
  listMissingFields,
  openResource,
  type Provider,
  type Setup,
} from "../clients/index.ts";
import { defaultLabel } from "../connections/index.ts";
import { buildConnectPath, findPermissions } from "../internal.ts";
import type { StartQuery } from "./contract.ts";
import { createState, deriveSecrets } from "./secrets.ts";
import { attemptBatcher } from "./starts.ts";

const attemptMinutes = 10;

/** How an MCP connection is connected: its credential, and scopes beyond those of its client. */
export interface McpStart {
  shared: boolean;
  scopes: readonly string[];
}

const readSetup = (ctx: MemberCtx, providerId: string, mcp: McpStart | undefined) =>
  (mcp ? findAnySetup : findSetup)(ctx, providerId);

/** Makes all checks that need no request to the provider. */
function checkStart(
  ctx: MemberCtx,
  providerId: string,
  setup: Setup | undefined,
  { account, scopes, shared, returnTo }: StartQuery,
  mcp?: McpStart,
) {
  if (!setup)
    throw invalidField(["providerId"], "There is no such provider. GET /v1/oauth-providers lists them.");
  const { client, provider } = setup;
  if (!client) throw clientNotConfigured(provider);
  const isShared = mcp?.shared ?? shared === "true";
  checkClient(provider, client, isShared);
  const permission = findPermissions(providerId).shared;
  if (isShared && !ctx.member.permissions.has(permission)) {
    throw forbidden("missing_permission", `A shared connection needs the permission ${permission}.`);
  }
  return {
    provider,
    client,
    version: setup.version,
    isShared,
    label: account ?? defaultLabel,
    scopes: chooseScopes(client, scopes, mcp?.scopes ?? []),
    returnTo: returnTo === undefined ? null : requireReturnPath(ctx.config.publicUrl, returnTo),
  };
}

/** What the confirmation page shows. */
export interface Confirmation {
  provider: string;
  organization: string;
  member: string;
  account: string;
  scopes: string[];
  shared: boolean;
  /** The URL of the same start, with the confirmation. */
  continueAt: string;
}

const confirmPurpose = "connect start";

/** The text that a confirmation signs. It names the session and everything that the start does. */
const describeStart = (ctx: MemberCtx, providerId: string, query: StartQuery, expiresAt: string): string =>
  JSON.stringify([
    expiresAt,
    ctx.caller.credentialId,
    ctx.orgId,
    providerId,
    ...[query.account, query.scopes, query.shared, query.returnTo].map((value) => value ?? null),
  ]);

/** A confirmation: its expiry in seconds since 1970, and a signature over the expiry and the start. */
function signConfirmation(ctx: MemberCtx, providerId: string, query: StartQuery): string {
  const expiresAt = String(Math.floor(Date.now() / 1000) + attemptMinutes * 60);
  return `${expiresAt}.${ctx.keyring.sign(confirmPurpose, describeStart(ctx, providerId, query, expiresAt))}`;
}

function isConfirmed(ctx: MemberCtx, providerId: string, query: StartQuery): boolean {
  const [, expiresAt, signature] = /^(\d{1,12})\.(.+)$/.exec(query.confirm ?? "") ?? [];
  if (expiresAt === undefined || signature === undefined || Number(expiresAt) * 1000 <= Date.now())
    return false;
  const text = describeStart(ctx, providerId, query, expiresAt);
  return ["current", "previous"].includes(ctx.keyring.checkSignature(confirmPurpose, text, signature));
}

/**
 * Returns what the confirmation page shows, or undefined when the start is confirmed. Any site can link to a start, and
 * no header reliably tells where the link was. Without a confirmation, the link alone could connect an account.
 */
export async function prepareConfirmation(
  ctx: MemberCtx,
  providerId: string,
  query: StartQuery,
  mcp?: McpStart,
): Promise<Confirmation | undefined> {
  const setup = await readSetup(ctx, providerId, mcp);
  const { provider, label, scopes, isShared } = checkStart(ctx, providerId, setup, query, mcp);
  if (isConfirmed(ctx, providerId, query)) return undefined;
  const { account, scopes: asked, shared, returnTo } = query;
  const given = Object.entries({ account, scopes: asked, shared, returnTo }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  const parameters = new URLSearchParams([...given, ["confirm", signConfirmation(ctx, providerId, query)]]);
  return {
    provider: provider.name,
    organization: (await findOrganization(ctx.db, ctx.orgId))!.name,
    member: (await findUser(ctx.db, ctx.userId))!.name,
    account: label,
    scopes,
    shared: isShared,
    continueAt: `${buildConnectPath(providerId)}/start?${parameters}`,
  };
}

/** How often a start reads a client that is changed at the same moment. */
const maxReads = 10;

/**
 * Stores an attempt. The statement that stores it compares the version of the client, so one that was read for an earlier
 * start serves as well. What that one refuses is checked once more with the current client.
 */
export async function start(
  ctx: MemberCtx,
  providerId: string,
  query: StartQuery,
  mcp?: McpStart,
): Promise<{ authorizeUrl: string }> {
  const recent = findRecentSetup(ctx, providerId);
  const first = recent && (await startWith(ctx, providerId, recent, query).catch(ignoreRefusal));
  if (first !== undefined) return { authorizeUrl: first };
  for (let reads = 0; reads < maxReads; reads++) {
    const setup = await readSetup(ctx, providerId, mcp);
    const authorizeUrl = await startWith(ctx, providerId, setup, query, mcp);
    if (authorizeUrl !== undefined) return { authorizeUrl };
  }
  throw new ReferenceRemoved("The member was removed, or the client changed, while the attempt was stored.");
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error;
}

/** Returns the URL for the browser, or undefined when the client is no longer the given one or the member was removed. */
async function startWith(
  ctx: MemberCtx,
  providerId: string,
  setup: Setup | undefined,
  query: StartQuery,
  mcp?: McpStart,
): Promise<string | undefined> {
  const checked = checkStart(ctx, providerId, setup, query, mcp);
  const { provider, client, version, isShared, label, scopes, returnTo } = checked;
  const server = await findCurrentServer(ctx, provider, client);
  const id = newId("oat");
  const state = createState(id);
  const { keyId, verifier, nonce } = deriveSecrets(ctx.keyring, state);
  const url = buildAuthorizeUrl(openResource(ctx, ctx.orgId, client, server), {
    clientId: client.clientId,
    redirectUri: buildRedirectUri(ctx.config.publicUrl, providerId),
    state,
    verifier,
    nonce,
    scopes,
  });
  const isStored = await ctx.state.get(attemptBatcher)({
    id,
    orgId: ctx.orgId,
    stateHash: hashSecret(state),
    memberId: ctx.member.id,
    providerId,
    credentialsId: client.credentialsId,
    generation: client.generation,
    version,
    shared: isShared,
    label,
    scopes,
    returnTo,
    keyId,
    credential: ctx.caller.credential,
    credentialId: ctx.caller.credentialId,
    minutes: attemptMinutes,
  });
  return isStored ? url : undefined;
}

function checkClient(provider: Provider, client: ClientRow, shared: boolean): void {
  const missing = listMissingFields(client);
  if (missing.length > 0) {
    throw invalidRequest(
      missing.map((field) => ({
        message: `The organization's client for ${provider.name} lacks its ${field}. An admin completes it with PUT /v1/oauth-providers/${provider.id}/client.`,
        path: ["client", field],
      })),
    );
  }
  if (client.connectionMode === "organization" && !shared) {
    throw invalidField(
      ["providerId"],
      `${provider.name} is connected once for the whole organization, by an admin. Ask for access to the shared connection.`,
    );
  }
}

/** The scopes of the client and `more`, and those of its optional scopes that the member asks for. */
function chooseScopes(
  { scopes, optionalScopes }: ClientRow,
  asked: string | undefined,
  more: readonly string[],
): string[] {
  const extra = asked?.split(/\s+/).filter(Boolean) ?? [];
  const allowed = new Set([...scopes, ...optionalScopes, ...more]);
  const refused = extra.filter((scope) => !allowed.has(scope));
  if (refused.length > 0) {
    throw invalidRequest(
      refused.map((scope) => ({
        message: `The organization's client does not allow ${scope}. An admin adds it to optionalScopes.`,
        path: ["scopes"],
      })),
    );
  }
  return [...new Set([...scopes, ...more, ...extra])];
}

/** Accepts only paths on this site, so that a start cannot redirect to another site. */
function requireReturnPath(publicUrl: string, path: string): string {
  const plain = parseReturnPath(publicUrl, path);
  if (plain === undefined)
    throw invalidField(["returnTo"], "Must be a path on this site, such as /connections.");
  return plain;
}

/**
 * The server to send the browser to. The client's server gets the code, so the provider's newer metadata is used only
 * if the client follows it.
 */
async function findCurrentServer(ctx: MemberCtx, provider: Provider, client: ClientRow) {
  const own = findServerOfClient(client)!;
  if (!provider.custom) return own;
  try {
    const { server } = await discoverServer(ctx, provider);
    if (server === own) return own;
    const follows = server && describeDestination({ ...client, server }) === describeDestination(client);
    return follows ? server : own;
  } catch (error) {
    if (error instanceof OAuthFailure) return own;
    throw error;
  }
}
