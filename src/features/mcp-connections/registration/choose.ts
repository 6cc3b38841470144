import type { MemberCtx } from "../../../platform/context.ts";
import { conflict, invalidField, type Refusal } from "../../../platform/errors.ts";
import type { Choices, NewConnection } from "../contract.ts";
import type { Discovery } from "../discovery/index.ts";
import { isOauth, type Registration, registrations } from "../model.ts";
import { findMetadataObstacle } from "./client-metadata.ts";

type AuthorizationServer = Discovery["authentication"]["authorizationServers"][number];

export interface Choice {
  registration: Registration;
  /** Undefined when the way uses no OAuth. Only the issuer is known of a server that discovery did not reach. */
  server: (Pick<AuthorizationServer, "issuer"> & Partial<AuthorizationServer>) | undefined;
  scopes: string[];
}

/** Decides how to register, or refuses with the choices of a person. */
export function chooseRegistration(ctx: MemberCtx, body: NewConnection, verdict: Discovery): Choice {
  const registration = body.registration ?? inferRegistration(ctx, body, verdict);
  if (!registration) throw choiceRequired(ctx, body, verdict, explainOpenChoice(verdict));
  const server = isOauth(registration) ? chooseServer(ctx, body, verdict) : undefined;
  const option = describeOption(ctx, registration, body, verdict);
  if (!option.available || option.missing.length > 0) throw choiceRequired(ctx, body, verdict, option.note);
  checkUnusedFields(registration, body);
  return { registration, server, scopes: body.scopes ?? verdict.authentication.recommendedScopes };
}

/** The way that follows from what was sent, or the recommended one if it needs nothing from a person. */
function inferRegistration(
  ctx: MemberCtx,
  { bearerToken, headers, clientId, authorizationServer }: NewConnection,
  { status, authentication }: Discovery,
): Registration | undefined {
  if (bearerToken !== undefined || headers !== undefined) return "bearer";
  if (clientId !== undefined) return "pre_registered";
  if (status === "unreachable") return undefined;
  if (authentication.kind === "none") return "none";
  const { authorizationServers: servers } = authentication;
  const server = servers.find(({ issuer }) => issuer === authorizationServer) ?? servers[0];
  const isDecided = servers.length === 1 || authorizationServer !== undefined;
  if (authentication.kind !== "oauth" || !server || !isDecided) return undefined;
  // Many servers take https addresses only, so a loopback address is used only when a person chooses it.
  const isHttps = ctx.config.publicUrl.startsWith("https:");
  if (server.clientIdMetadataDocumentSupported && isHttps && !findMetadataObstacle(ctx.config, server.issuer))
    return "client_metadata";
  return server.registrationEndpoint === undefined ? undefined : "dynamic";
}

function chooseServer(ctx: MemberCtx, body: NewConnection, verdict: Discovery): Choice["server"] {
  const { authorizationServers: servers } = verdict.authentication;
  const { authorizationServer: issuer } = body;
  if (issuer !== undefined) {
    const named = servers.find((server) => server.issuer === issuer);
    if (named) return named;
    if (servers.length === 0) return { issuer };
    throw invalidField(["authorizationServer"], `The server accepts tokens of ${list(servers)} only.`);
  }
  if (servers.length === 1) return servers[0];
  const why =
    servers.length > 1
      ? "The server accepts tokens of several authorization servers. Choose the one that has your people's accounts."
      : "The server names no authorization server. Name its issuer with authorizationServer.";
  throw choiceRequired(ctx, body, verdict, why);
}

const list = (servers: readonly AuthorizationServer[]) => servers.map(({ issuer }) => issuer).join(", ");

/** A field that the chosen way does not use is a mistake, and may be a secret that goes nowhere. */
function checkUnusedFields(registration: Registration, body: NewConnection): void {
  const used: Record<string, readonly Registration[]> = {
    authorizationServer: ["client_metadata", "dynamic", "pre_registered"],
    clientId: ["pre_registered"],
    clientSecret: ["pre_registered"],
    bearerToken: ["bearer"],
    headers: ["bearer"],
  };
  const given = new Map<string, unknown>(Object.entries(body));
  for (const [field, ways] of Object.entries(used))
    if (given.get(field) !== undefined && !ways.includes(registration))
      throw invalidField([field], `This is not used with the registration ${registration}.`);
}

type Option = Choices["registrations"][number];

function describeOption(
  ctx: MemberCtx,
  registration: Registration,
  body: NewConnection,
  { authentication, status }: Discovery,
): Option {
  const servers = authentication.authorizationServers;
  const named = servers.filter(({ issuer }) => issuer === (body.authorizationServer ?? issuer));
  const missingServer = named.length === 1 || body.authorizationServer ? [] : ["authorizationServer"];
  const make = (available: boolean, missing: string[], note: string): Option => ({
    ...{ registration, available, missing, note },
  });
  const unknown = status === "unreachable";
  switch (registration) {
    case "none":
      return make(
        unknown || authentication.kind === "none" || authentication.kind === "unknown",
        [],
        "No credential is sent. The server must be open to everybody who can reach it.",
      );
    case "client_metadata": {
      const server = named.find((one) => one.clientIdMetadataDocumentSupported);
      if (!server)
        return make(false, [], "The authorization server does not take client metadata documents.");
      const obstacle = findMetadataObstacle(ctx.config, server.issuer);
      return obstacle
        ? make(false, [], obstacle)
        : make(true, missingServer, "The authorization server reads who this instance is. Nothing to do.");
    }
    case "dynamic":
      return named.some((one) => one.registrationEndpoint !== undefined)
        ? make(true, missingServer, "This instance registers itself. Nothing to do.")
        : make(false, [], "The authorization server does not register clients by itself.");
    case "pre_registered":
      return make(
        servers.length > 0 || unknown || body.authorizationServer !== undefined,
        [...missingServer, ...(body.clientId === undefined ? ["clientId"] : [])],
        `Register a web application at the authorization server, with the redirect URI ${ctx.config.publicUrl}/v1/mcp-connections/connect/callback, and send its client id and secret.`,
      );
    case "bearer": {
      const isGiven = body.bearerToken !== undefined || body.headers !== undefined;
      return make(
        true,
        body.credential === "shared" && !isGiven ? ["bearerToken"] : [],
        "A fixed token or header is sent. For a shared credential send it now; otherwise each member sets an own one.",
      );
    }
  }
}

function explainOpenChoice({ status, authentication }: Discovery): string {
  if (status === "unreachable")
    return "The server cannot be reached, so it is not known how to connect it. Check the address, or choose the registration.";
  if (authentication.kind === "manual_bearer") return "The server needs a token that a person creates there.";
  if (authentication.authorizationServers.length > 1)
    return "The server accepts tokens of several authorization servers. Choose the one that has your people's accounts.";
  if (authentication.kind === "oauth")
    return "This instance must be registered at the authorization server by a person.";
  return "It is not known how the server wants to be signed in to. Choose the registration.";
}

function choiceRequired(ctx: MemberCtx, body: NewConnection, verdict: Discovery, message: string): Refusal {
  const { authorizationServers, recommendedScopes, kind } = verdict.authentication;
  const options = registrations.map((way) => describeOption(ctx, way, body, verdict));
  const preferred: readonly Registration[] =
    kind === "none"
      ? ["none"]
      : kind === "manual_bearer"
        ? ["bearer"]
        : ["client_metadata", "dynamic", "pre_registered"];
  const isAvailable = (way: Registration) => options.some((one) => one.registration === way && one.available);
  const choices: Choices = {
    recommended: kind === "unknown" ? null : (preferred.find(isAvailable) ?? null),
    registrations: options,
    authorizationServers: authorizationServers.map(({ issuer }) => issuer),
    scopes: recommendedScopes,
    verdict,
  };
  return conflict("mcp_choice_required", message, { choices });
}
