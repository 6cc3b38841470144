import type { MemberCtx } from "../../../platform/context.ts";
import { conflict, invalidField } from "../../../platform/errors.ts";
import {
  type AuthMethod,
  discover as discoverIssuer,
  isSecureUrl,
  OAuthFailure,
  Server,
} from "../../../platform/oauth/index.ts";
import type { NewConnection } from "../contract.ts";
import type { Discovery } from "../discovery/index.ts";
import { findOtherSpelling } from "../issuers.ts";
import { type Choice, chooseRegistration } from "./choose.ts";
import { buildClientId } from "./client-metadata.ts";
import { registerDynamically } from "./dynamic.ts";

/** The client of a connection at its authorization server. */
export interface PlannedClient {
  server: Server & { tokenAudience: string };
  resource: string;
  clientId: string;
  authMethod: AuthMethod;
  clientSecret: string | undefined;
  /** Set when the client was registered for this connection. */
  registrationId: string | undefined;
}

export interface Plan extends Omit<Choice, "server"> {
  client: PlannedClient | undefined;
}

/**
 * Decides how to connect, reads the authorization server, and registers this instance there if needed. Sends requests,
 * so it must not run inside a transaction.
 */
export async function planConnection(ctx: MemberCtx, body: NewConnection, verdict: Discovery): Promise<Plan> {
  const { server, ...choice } = chooseRegistration(ctx, body, verdict);
  if (choice.registration !== "none" && !isSecureUrl(stripQuery(body.url)))
    throw invalidField(
      ["url"],
      "Credentials are only sent to https addresses, or to this machine. Use the https address of the server.",
    );
  if (!server) return { ...choice, client: undefined };
  const resource = checkResource(body.url, verdict.authentication.resource ?? toResource(body.url));
  const found = await readServer(ctx, body.url, server);
  const at = { ...found.server, resource, tokenAudience: new URL(body.url).origin };
  // Without the scope there is no ID token, and some servers refuse the parameter nonce.
  if (!choice.scopes.includes("openid")) delete at.account;
  const client = await createClient(ctx, body, choice, { ...server, ...found });
  return { ...choice, client: { ...client, server: at, resource } };
}

const stripQuery = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
};

/** RFC 8707 §2: without a fragment. The query is left out, because it may contain a credential. */
const toResource = (url: string): string => stripQuery(url).replace(/\/$/, "");

/** A token for another resource could be used there by whoever operates this server. */
function checkResource(url: string, resource: string): string {
  const [at, named] = [new URL(url), URL.parse(resource)];
  const covers = (path: string) => `${at.pathname}/`.startsWith(path.endsWith("/") ? path : `${path}/`);
  if (named && named.origin === at.origin && covers(named.pathname)) return resource;
  throw conflict(
    "mcp_registration_failed",
    `The server says that its tokens are for ${resource}, which is not its address. Ask its operator to correct the protected resource metadata.`,
    { reason: "resource_mismatch" },
  );
}

type KnownServer = NonNullable<Choice["server"]>;

/** Reads the issuer's metadata. Of a server without metadata, the endpoints that discovery found are used. */
async function readServer(
  ctx: MemberCtx,
  url: string,
  known: KnownServer,
): Promise<{ server: Server; authMethods: readonly string[] | undefined }> {
  const { issuer, authorizationEndpoint, tokenEndpoint } = known;
  try {
    return await discoverSpelling(ctx, url, issuer);
  } catch (error) {
    if (!(error instanceof OAuthFailure)) throw error;
    const parsed = Server.safeParse({ issuer, authorizationEndpoint, tokenEndpoint, discovered: true });
    if (parsed.success) return { server: parsed.data, authMethods: known.tokenEndpointAuthMethodsSupported };
    throw conflict(
      "mcp_registration_failed",
      `The metadata of ${issuer} could not be read: ${error.message} Try again, or ask its operator.`,
      { reason: error.code },
    );
  }
}

/** The metadata says how the issuer is written. The answer to a sign-in has that spelling too, and is compared with it. */
async function discoverSpelling(ctx: MemberCtx, url: string, issuer: string) {
  // The MCP server names the issuer, so it must not lead to this machine.
  const egress = ctx.egress.forOrganization(ctx.orgId).forAddressFrom(url);
  try {
    return await discoverIssuer(egress, issuer);
  } catch (error) {
    const other = findOtherSpelling(issuer);
    if (other === undefined || !(error instanceof OAuthFailure) || error.kind !== "unusable") throw error;
    return await discoverIssuer(egress, other).catch((second) => {
      throw second instanceof OAuthFailure ? error : second;
    });
  }
}

async function createClient(
  ctx: MemberCtx,
  { clientId, clientSecret }: NewConnection,
  { registration }: Omit<Choice, "server">,
  { issuer, registrationEndpoint, authMethods }: KnownServer & { authMethods: readonly string[] | undefined },
): Promise<Omit<PlannedClient, "server" | "resource">> {
  if (registration === "dynamic" && registrationEndpoint !== undefined)
    return registerDynamically(ctx, { issuer, registrationEndpoint, authMethods });
  const none = { authMethod: "none", clientSecret: undefined, registrationId: undefined } as const;
  if (registration === "client_metadata") return { ...none, clientId: buildClientId(ctx.config) };
  if (clientId === undefined) throw new Error("A choice without a client id was accepted.");
  if (clientSecret === undefined) return { ...none, clientId };
  const usesPost =
    authMethods?.includes("client_secret_post") && !authMethods.includes("client_secret_basic");
  return {
    ...{ clientId, clientSecret, registrationId: undefined },
    authMethod: usesPost ? "client_secret_post" : "client_secret_basic",
  };
}
