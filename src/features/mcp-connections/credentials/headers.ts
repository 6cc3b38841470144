import type { MemberCtx, OrgId } from "../../../platform/context.ts";
import { conflict, type Refusal } from "../../../platform/errors.ts";
import { defineState } from "../../../platform/state.ts";
import { announce } from "../../notifications/index.ts";
import {
  findMcpToken,
  isPresentToken,
  replaceRefusedToken,
  toProviderId,
} from "../../oauth-providers/index.ts";
import { countAsWorking, findStaticCredential, saveState } from "../member-states/index.ts";
import { isOauth, type UsableConnection } from "../model.ts";
import { openHeaders } from "../sealing.ts";
import { UpstreamError } from "../upstream/index.ts";

type Connection = Pick<UsableConnection, "id" | "orgSlug" | "name" | "url" | "credential" | "registration">;

/** A credential that the server refused is not sent again for this long, so that it is not locked there. */
const pauseSeconds = 60;

/** Refused credentials that were sent again by this process. If the server accepts one, its state is removed. */
export const retriedCredentials = defineState({
  name: "refused MCP credentials",
  create: () => new Set<string>(),
});

/** The member whose credential is used. Null: the shared one. */
const findHolder = ({ member }: MemberCtx, { credential }: Connection): string | null =>
  credential === "shared" ? null : member.id;

const toKey = (ctx: MemberCtx, connection: Connection) =>
  `${connection.id} ${findHolder(ctx, connection) ?? ""}`;

/** Where a person connects the account, or sets the key. */
const buildConnectUrl = ({ config }: MemberCtx, { id, orgSlug, registration }: Connection): string =>
  isOauth(registration)
    ? `${config.publicUrl}/v1/mcp-connections/${id}/connect/start`
    : `${config.publicUrl}/o/${orgSlug}/connections/mcp/${id}`;

export function signInRequired(ctx: MemberCtx, connection: Connection, reason: string): Refusal {
  const connectUrl = buildConnectUrl(ctx, connection);
  const message =
    connection.credential === "shared"
      ? `The shared credential of ${connection.name} does not work. Ask an admin to connect it again: ${connectUrl}`
      : `${connection.name} needs you to connect your account: ${connectUrl}`;
  return conflict("mcp_sign_in_required", message, { connectionId: connection.id, connectUrl, reason });
}

export function consentRequired(
  ctx: MemberCtx,
  connection: Connection,
  missingScopes: readonly string[],
): Refusal {
  const connectUrl = buildConnectUrl(ctx, connection);
  return conflict(
    "mcp_consent_required",
    `${connection.name} needs more consent (${missingScopes.join(", ")}). Connect the account again: ${connectUrl}`,
    { connectionId: connection.id, connectUrl, missingScopes: [...missingScopes] },
  );
}

/**
 * The headers that authenticate the caller at the server of the connection. They are sent nowhere else. `refused` are
 * headers that the server has just refused: if they are still the stored ones, the token is refreshed first.
 */
export async function findHeaders(
  ctx: MemberCtx,
  connection: UsableConnection,
  { refused }: { refused?: Record<string, string> } = {},
): Promise<Record<string, string>> {
  if (connection.registration === "none") return {};
  if (!isOauth(connection.registration)) return findStaticHeaders(ctx, connection);
  const headers = await findTokenHeaders(ctx, connection);
  if (refused?.authorization !== headers.authorization) return headers;
  const isReplaced = await replaceRefusedToken(ctx, toTokenRequest(ctx, connection));
  return isReplaced ? findTokenHeaders(ctx, connection) : headers;
}

async function findTokenHeaders(ctx: MemberCtx, connection: UsableConnection) {
  const found = await findMcpToken(ctx, toTokenRequest(ctx, connection));
  if (found.kind === "not_connected") throw signInRequired(ctx, connection, "not_connected");
  if (found.kind === "sign_in") throw signInRequired(ctx, connection, found.reason);
  // The token is sealed for this address, so whoever changes the row of the connection cannot redirect it.
  if (found.audience !== new URL(connection.url).origin)
    throw signInRequired(ctx, connection, "address_changed");
  checkPause(ctx, connection, found.nextTryAt);
  return { authorization: `Bearer ${found.accessToken}` };
}

async function findStaticHeaders(ctx: MemberCtx, connection: UsableConnection) {
  const { orgId } = connection;
  const found = await findStaticCredential(ctx.db, orgId, connection.id, findHolder(ctx, connection));
  if (!found) throw signInRequired(ctx, connection, "not_connected");
  checkPause(ctx, connection, found.nextTryAt);
  return openHeaders(ctx.keyring, { id: found.id, orgId, url: connection.url }, found.secret);
}

function checkPause(ctx: MemberCtx, connection: Connection, nextTryAt: number | null): void {
  if (nextTryAt === null) return;
  if (nextTryAt > Date.now()) throw signInRequired(ctx, connection, "refused_by_server");
  ctx.state.get(retriedCredentials).add(toKey(ctx, connection));
}

const toTokenRequest = (ctx: MemberCtx, connection: Connection) => ({
  providerId: toProviderId(connection.id),
  mcpConnectionId: connection.id,
  memberId: findHolder(ctx, connection),
});

export interface Challenge {
  status: 401 | 403;
  /** The scopes that the server names. */
  scopes: readonly string[];
  reason: string;
  /** The headers that were refused. They say nothing about a credential that has replaced theirs meanwhile. */
  refused?: Record<string, string>;
}

/** Whether these headers are still those of the stored credential. */
async function arePresent(
  ctx: MemberCtx,
  connection: UsableConnection,
  headers: Record<string, string>,
): Promise<boolean> {
  const { orgId, id, url, registration } = connection;
  if (isOauth(registration)) {
    const token = headers.authorization?.replace(/^Bearer /, "") ?? "";
    return isPresentToken(ctx, toTokenRequest(ctx, connection), token);
  }
  const found = await findStaticCredential(ctx.db, orgId, id, findHolder(ctx, connection));
  const present = found && openHeaders(ctx.keyring, { id: found.id, orgId, url }, found.secret);
  return present !== undefined && JSON.stringify(present) === JSON.stringify(headers);
}

/**
 * Records that the server refused the credential, for its holder alone. `retry`: there is another one now, which
 * `findHeaders` returns. `stop`: a person must act.
 */
export async function reportChallenge(
  ctx: MemberCtx & { orgId: OrgId },
  connection: UsableConnection,
  { status, scopes, reason, refused }: Challenge,
): Promise<"retry" | "stop"> {
  if (connection.registration === "none") return "stop";
  const usesToken = isOauth(connection.registration);
  const refusedToken = refused?.authorization?.replace(/^Bearer /, "");
  if (
    status === 401 &&
    usesToken &&
    (await replaceRefusedToken(ctx, toTokenRequest(ctx, connection), refusedToken))
  )
    return "retry";
  // The answer came late: a person has replaced, or ended, the credential while the server was asked.
  if (refused && (status === 403 || !usesToken) && !(await arePresent(ctx, connection, refused)))
    return "retry";
  const holder = { connectionId: connection.id, memberId: findHolder(ctx, connection) };
  const state = status === 403 && usesToken ? "needs_consent" : "sign_in";
  await ctx.db.transaction(async (tx) => {
    const since = await saveState(tx, ctx.orgId, {
      ...holder,
      state,
      missingScopes: status === 403 ? scopes.slice(0, 100).map((scope) => scope.slice(0, 300)) : [],
      reason: reason.slice(0, 500).replaceAll("\0", "").toWellFormed(),
      pauseSeconds: status === 403 ? 0 : pauseSeconds,
    });
    if (since === undefined) return;
    const message =
      state === "sign_in"
        ? "The server does not accept the credential. Connect again."
        : "The server asks for more consent. Connect again to give it.";
    await announce(tx, ctx.orgId, {
      type: "connection.needs_attention",
      ...{ ...holder, connectedAt: since, reason: state, message },
    });
  });
  return "stop";
}

/**
 * Does the work with these headers, and once more if there is another credential after the server has refused this one: a
 * token may have been revoked before its time. Every refusal is reported.
 */
export async function workWithRenewal<T>(
  ctx: MemberCtx,
  connection: UsableConnection,
  headers: Record<string, string>,
  work: (headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  const report = async (error: unknown, refused: Record<string, string>) => {
    const challenge = error instanceof UpstreamError ? error.challenge : undefined;
    return challenge ? reportChallenge(ctx, connection, { ...challenge, refused }) : "stop";
  };
  try {
    return await work(headers);
  } catch (error) {
    if ((await report(error, headers)) === "stop") throw error;
  }
  const renewed = await findHeaders(ctx, connection);
  try {
    return await work(renewed);
  } catch (error) {
    await report(error, renewed);
    throw error;
  }
}

/**
 * Removes the state `sign_in` or `needs_consent` when the credential works again. It sends no statement unless a
 * credential was refused before.
 */
export function reportWorked(ctx: MemberCtx, connection: Connection): void {
  const key = toKey(ctx, connection);
  if (!ctx.state.get(retriedCredentials).delete(key)) return;
  countAsWorking(ctx.db, ctx.orgId, connection.id, findHolder(ctx, connection)).catch((error: unknown) =>
    ctx.log.warn({ err: error }, "the state of an MCP credential was not updated"),
  );
}
