import type { Caller, Ctx, MemberCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { notFound, Refusal } from "../../../platform/errors.ts";
import { checkAccess, readCookie } from "../../../platform/http/index.ts";
import { newId } from "../../../platform/ids.ts";
import { exchangeCode, OAuthFailure, type TokenGrant } from "../../../platform/oauth/index.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import { cookieName, sessionCredential } from "../../auth/index.ts";
import { can } from "../../permissions/index.ts";
import { knownProviders } from "../catalogue/index.ts";
import {
  buildRedirectUri,
  createPeer,
  type Destination,
  findCredentials,
  findSetup,
} from "../clients/index.ts";
import { connect, read } from "../connections/index.ts";
import { type Actor, createActor, recordEvent } from "../events/index.ts";
import { findPermissions, isInternalProvider } from "../internal.ts";
import { queueRevocation } from "../revocation-queue.ts";
import { insertToken, retireToken, sealTokens } from "../tokens/index.ts";
import { createClaimCode, deriveSecrets, hashClaimCode, type ParsedState, parseState } from "./secrets.ts";
import * as store from "./store.ts";

/** The result of a callback, for the page. */
export type CallbackResult =
  | { kind: "unknown" }
  /** Only for the person who started: nobody else sees what the attempt was for. */
  | { kind: "used"; attempt: store.Attempt; provider: string; isConnected: boolean }
  | { kind: "connected"; attempt: store.Attempt; provider: string; account: string | null }
  | {
      kind: "waiting" | "unconfirmed";
      attempt: store.Attempt;
      provider: string;
      account: string | null;
      code: string;
    }
  | {
      kind: "refused";
      attempt: store.Attempt;
      provider: string;
      code: string;
      /** True when the visitor is the person who started. Nobody else sees what the attempt was for. */
      isStarter: boolean;
      /** True when a link opened in this browser would start the same attempt again. */
      canStartAgain: boolean;
    };

/** Runs in the transaction that connects an account. */
export type OnConnected = (tx: Db, attempt: Pick<store.Attempt, "orgId" | "providerId">) => Promise<void>;

const maxWrongCodes = 5;

/**
 * Handles the return from the provider. `state` identifies the attempt, and the browser's session identifies the
 * visitor: a visitor who did not start the attempt ends it before the code is exchanged. Without a session, or when
 * another credential of the same person started it, the tokens wait for a claim: a link may have led the person here.
 */
export async function handleCallback(
  ctx: Ctx,
  /** Null for the callback of MCP connections, which all have the same address. */
  providerId: string | null,
  parameters: URLSearchParams,
  cookies: string | undefined,
  onConnected?: OnConnected,
): Promise<CallbackResult> {
  const state = parameters.get("state") ?? "";
  const parsed = parseState(state);
  if (!parsed) return { kind: "unknown" };
  const attempt = await store.useStateByToken(ctx.db, parsed);
  if (!attempt) return describeUsedAttempt(ctx, parsed, cookies);
  const provider = await findProviderName(ctx, attempt);
  let isStarter = false;
  const refused = async (code: string): Promise<CallbackResult> => {
    const canStartAgain = isStarter && (await isActiveOrganization(ctx, cookies, attempt.orgId));
    return { kind: "refused", attempt, provider, code, isStarter, canStartAgain };
  };
  const refuse = async (code: string): Promise<CallbackResult> => {
    await refuseAttempt(ctx, attempt, code);
    return refused(code);
  };
  const isRightAddress = isInternalProvider(attempt.providerId)
    ? providerId === null
    : attempt.providerId === providerId;
  if (!isRightAddress) return refuse("provider_mismatch");
  if (!attempt.current) return refuse("superseded");
  const finisher = await findFinisher(ctx, cookies, attempt);
  if (finisher === "somebody else") return refuse("other_person");
  isStarter = finisher === "who started";
  if (isStarter && !mayFinish(attempt, ctx.caller)) return refuse("not_allowed");
  if (!ctx.keyring.has(attempt.keyId)) return refuse("secret_changed");
  let granted: TokenGrant;
  const client = await findCredentials(ctx.db, attempt.orgId, attempt.credentialsId);
  try {
    granted = await exchangeCode(createPeer(ctx, attempt.orgId, client!), {
      parameters,
      state,
      redirectUri: buildRedirectUri(ctx.config.publicUrl, attempt.providerId),
      ...deriveSecrets(ctx.keyring, state, attempt.keyId),
    });
  } catch (error) {
    if (!(error instanceof OAuthFailure)) throw error;
    return refuse(error.code);
  }
  const account = granted.account?.name ?? granted.account?.subject ?? null;
  const code = finisher === "nobody" || !wasStartedBy(attempt, ctx.caller) ? createClaimCode() : undefined;
  if (!(await storeTokens(ctx, attempt, client!, granted, code, onConnected))) return refused("superseded");
  if (!code) return { kind: "connected", attempt, provider, account };
  return { kind: finisher === "nobody" ? "waiting" : "unconfirmed", attempt, provider, account, code };
}

/** When the person reloads the result page, it must not contradict the first result. */
async function describeUsedAttempt(
  ctx: Ctx,
  state: ParsedState,
  cookies: string | undefined,
): Promise<CallbackResult> {
  const attempt = await store.findUsedByToken(ctx.db, state);
  if (!attempt || (await findFinisher(ctx, cookies, attempt)) !== "who started") return { kind: "unknown" };
  return {
    kind: "used",
    attempt,
    provider: await findProviderName(ctx, attempt),
    isConnected: attempt.status === "connected",
  };
}

const wasStartedBy = (attempt: store.Attempt, caller: Caller | undefined): boolean =>
  caller?.credential === attempt.credential && caller.credentialId === attempt.credentialId;

const findSessionCaller = async (ctx: Ctx, cookies: string | undefined, orgId: string | undefined) => {
  const cookie = readCookie(cookies, cookieName(ctx.config.publicUrl));
  return cookie ? sessionCredential.find(ctx.db, hashSecret(cookie), orgId) : undefined;
};

/** A link names no organization, so in this browser it acts in the active organization of the session. */
const isActiveOrganization = async (ctx: Ctx, cookies: string | undefined, orgId: string): Promise<boolean> =>
  (await findSessionCaller(ctx, cookies, undefined))?.member?.orgId === orgId;

/** The caller of the browser's session, in the organization of the attempt. */
async function findFinisher(
  ctx: Ctx,
  cookies: string | undefined,
  { orgId, memberId, userId, providerId }: store.Attempt,
): Promise<"who started" | "somebody else" | "nobody"> {
  const caller = await findSessionCaller(ctx, cookies, orgId);
  if (!caller) return "nobody";
  if (caller.userId !== userId || caller.member?.id !== memberId) return "somebody else";
  ctx.caller = caller;
  try {
    checkAccess(can(findPermissions(providerId).own), caller, Date.now());
    return "who started";
  } catch (error) {
    // The session is too old or lacks single sign-on, so the person signs in again and claims.
    if (error instanceof Refusal) return "nobody";
    throw error;
  }
}

/** The permission is checked again, because it may have been withdrawn since the start. */
const mayFinish = ({ shared, providerId }: store.Attempt, caller: Caller | undefined): boolean =>
  !shared || (caller?.member?.permissions.has(findPermissions(providerId).shared) ?? false);

/** Stores the tokens in a connection, or until they are claimed. Returns false when it is too late. */
async function storeTokens(
  ctx: Ctx,
  attempt: store.Attempt,
  client: Destination,
  { tokens, account }: TokenGrant,
  code: string | undefined,
  onConnected: OnConnected | undefined,
): Promise<boolean> {
  const { orgId, credentialsId } = attempt;
  const tokenId = newId("otk");
  const token = {
    id: tokenId,
    credentialsId,
    ...sealTokens(ctx.keyring, { id: tokenId, orgId, client }, tokens),
    scopes: tokens.scopes ?? attempt.scopes,
  };
  return ctx.db.transaction(async (tx) => {
    const current = await store.lockCurrent(tx, orgId, attempt, "exchanging");
    await insertToken(tx, orgId, token, !current);
    if (!current) {
      await queueRevocation(ctx, tx);
      return false;
    }
    const subject = account?.subject ?? null;
    const name = account?.name ?? null;
    if (code)
      await store.storeWaiting(tx, orgId, attempt.id, {
        tokenId,
        codeHash: hashClaimCode(code),
        subject,
        name,
      });
    else {
      const account = { accountSubject: subject, accountName: name };
      await completeAttempt(ctx, tx, { ...attempt, tokenId, ...account }, onConnected);
    }
    return true;
  });
}

/** Creates the connection, or replaces the token of the existing one. */
async function completeAttempt(
  ctx: Ctx,
  tx: Db,
  attempt: store.Attempt & { tokenId: string },
  onConnected: OnConnected | undefined,
): Promise<string> {
  const { orgId, providerId, memberId, label, shared, tokenId, scopes, accountSubject, accountName } =
    attempt;
  const account = accountSubject === null ? null : { subject: accountSubject, name: accountName };
  await store.setStatus(tx, orgId, attempt.id, "connected");
  const { id, replaced } = await connect(tx, orgId, {
    ...{ providerId, label, shared, memberId, tokenId, account },
    requestedScopes: scopes,
  });
  if (replaced) {
    await retireToken(tx, orgId, replaced.tokenId, replaced.sameAccount);
    if (!replaced.sameAccount) await queueRevocation(ctx, tx);
  }
  const actor: Actor = { ...createActor(ctx), memberId };
  const detail = { account: accountName ?? accountSubject, label, shared, again: replaced !== undefined };
  await recordEvent(tx, orgId, "connected", actor, { providerId, connectionId: id }, detail);
  await onConnected?.(tx, attempt);
  return id;
}

async function refuseAttempt(
  ctx: Ctx,
  { orgId, id, providerId, memberId, label }: store.Attempt,
  code: string,
) {
  await ctx.db.transaction(async (tx) => {
    await store.setStatus(tx, orgId, id, "failed");
    const detail = { code, label, startedBy: memberId };
    await recordEvent(tx, orgId, "connect_refused", createActor(ctx), { providerId }, detail);
  });
}

/** Completes an attempt for the member who started it, with the same credential or a session. */
export async function claim(ctx: MemberCtx, providerId: string, code: string) {
  if (!(await findSetup(ctx, providerId))) throw notFound("oauth_provider");
  return read(ctx, await claimWaiting(ctx, providerId, code));
}

/** Returns the id of the connection. */
export async function claimWaiting(
  ctx: MemberCtx,
  providerId: string,
  code: string,
  onConnected?: OnConnected,
): Promise<string> {
  const { db, orgId, member: self, caller } = ctx;
  const waiting = await store.findWaiting(db, orgId, self.id, providerId, hashClaimCode(code));
  if (!waiting?.tokenId) {
    await store.countWrongCode(db, orgId, self.id, providerId, maxWrongCodes);
    throw claimNotFound();
  }
  if ((!wasStartedBy(waiting, caller) && caller.credential !== "session") || !mayFinish(waiting, caller))
    throw claimNotFound();
  const { tokenId } = waiting;
  return db.transaction(async (tx) => {
    if (!(await store.lockCurrent(tx, orgId, waiting, "waiting"))) throw claimNotFound();
    return completeAttempt(ctx, tx, { ...waiting, tokenId }, onConnected);
  });
}

const claimNotFound = () =>
  new Refusal(404, {
    error: "claim_not_found",
    message: "Nothing waits for you under this code. It may be too late: start connecting again.",
  });

async function findProviderName(ctx: Ctx, { orgId, providerId }: store.Attempt): Promise<string> {
  const known = knownProviders.get(providerId);
  return known?.name ?? (await store.findCustomName(ctx.db, orgId, providerId)) ?? providerId;
}
