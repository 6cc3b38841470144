import type { MemberCtx } from "../../../platform/context.ts";
import { forbidden, invalidField, invalidRequest } from "../../../platform/errors.ts";
import { newId } from "../../../platform/ids.ts";
import {
  authorizeUrl,
  newNonce,
  newState,
  newVerifier,
  OAuthFailure,
} from "../../../platform/oauth/index.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import {
  type ClientRow,
  discovered,
  findSetup,
  missingOf,
  notConfigured,
  type Provider,
  redirectUri,
  serverFor,
} from "../clients/index.ts";
import { defaultLabel } from "../connections/index.ts";
import type { StartQuery } from "./contract.ts";
import { sealSecrets } from "./secrets.ts";
import * as store from "./store.ts";

const minutes = 10;

export async function start(
  ctx: MemberCtx,
  providerId: string,
  { account, scopes, shared, returnTo }: StartQuery,
): Promise<{ authorizeUrl: string }> {
  const setup = await findSetup(ctx, providerId);
  if (!setup)
    throw invalidField(["providerId"], "There is no such provider. GET /v1/oauth-providers lists them.");
  const { client } = setup;
  if (!client) throw notConfigured(setup.provider);
  const isShared = shared === "true";
  checkClient(setup.provider, client, isShared);
  if (isShared && !ctx.member.permissions.has("connections:manage")) {
    throw forbidden("missing_permission", "A shared connection needs the permission connections:manage.");
  }
  const wanted = scopesOf(client, scopes);
  const back = returnTo === undefined ? null : pathOnThisSite(ctx.config.publicUrl, returnTo);
  const server = await upToDate(ctx, setup.provider, client);
  const [state, verifier, nonce] = [newState(), newVerifier(), newNonce()];
  const id = newId("oat");
  const url = await authorizeUrl(server, {
    clientId: client.clientId,
    redirectUri: redirectUri(ctx.config.publicUrl, providerId),
    state,
    verifier,
    nonce,
    scopes: wanted,
  });
  await store.insert(ctx.db, ctx.orgId, {
    id,
    stateHash: hashSecret(state),
    memberId: ctx.member.id,
    providerId,
    credentialsId: client.credentialsId,
    generation: client.generation,
    shared: isShared,
    label: account ?? defaultLabel,
    scopes: wanted,
    returnTo: back,
    secrets: sealSecrets(ctx.keyring, id, { verifier, nonce }),
    credential: ctx.caller.credential,
    credentialId: ctx.caller.credentialId,
    minutes,
  });
  return { authorizeUrl: url };
}

function checkClient(provider: Provider, client: ClientRow, shared: boolean): void {
  const missing = missingOf(client);
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

/** The client's own, and of what members may ask for besides, what this one does. */
function scopesOf({ scopes, optionalScopes }: ClientRow, asked: string | undefined): string[] {
  const extra = asked?.split(/[\s+]+/).filter(Boolean) ?? [];
  const allowed = new Set([...scopes, ...optionalScopes]);
  const refused = extra.filter((scope) => !allowed.has(scope));
  if (refused.length > 0) {
    throw invalidRequest(
      refused.map((scope) => ({
        message: `The organization's client does not allow ${scope}. An admin adds it to optionalScopes.`,
        path: ["scopes"],
      })),
    );
  }
  return [...new Set([...scopes, ...extra])];
}

/** Two slashes at the beginning would name a host. */
const isPath = (text: string) => /^\/(?![/\\])/.test(text);

/** Only ever back to our own pages: a link elsewhere would make ours the start of a fraud. */
function pathOnThisSite(publicUrl: string, path: string): string {
  const url = isPath(path) ? URL.parse(path, publicUrl) : null;
  // Looked at again as it will be read: `/.//elsewhere` is a path whose dots fall away.
  const plain = url && url.pathname + url.search + url.hash;
  if (!plain || !isPath(plain) || url.origin !== new URL(publicUrl).origin) {
    throw invalidField(["returnTo"], "Must be a path on this site, such as /connections.");
  }
  return plain;
}

async function upToDate(ctx: MemberCtx, provider: Provider, client: ClientRow) {
  if (!provider.custom) return serverFor(client)!;
  try {
    return (await discovered(ctx, provider)).server ?? serverFor(client)!;
  } catch (error) {
    if (error instanceof OAuthFailure) return serverFor(client)!;
    throw error;
  }
}
