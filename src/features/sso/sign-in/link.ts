import type { Ctx, PersonCtx } from "../../../platform/context.ts";
import { conflict, forbidden, notFound, Refusal } from "../../../platform/errors.ts";
import { checkAccess, invalidateCallers, signedIn } from "../../../platform/http/index.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import {
  endSession,
  findUser,
  requireVerifiedAddress,
  startSsoSession,
  type User,
} from "../../auth/index.ts";
import { findConnectorByAddress } from "../connectors/index.ts";
import { recordOutcome } from "../events/index.ts";
import { admit } from "../people/index.ts";
import { openSecrets } from "./attempts.ts";
import { isOfBrowser } from "./cookie.ts";
import { createOrigin, findCaller } from "./session.ts";
import * as store from "./store.ts";

const linkNotFound = () => notFound("sso_link");

export interface LinkPage {
  organization: string;
  email: string;
  returnTo: string | null;
  /** The person who signed in here in the last minutes. Only this counts as a proof. */
  visitor: User | undefined;
}

/** What waits under the token. Undefined when it was used, has expired, or belongs to another browser. */
export async function openLink(
  ctx: Ctx,
  token: string | undefined,
  cookies: string | undefined,
): Promise<LinkPage | undefined> {
  const attempt = token && (await store.findWaitingByToken(ctx.db, "link", hashSecret(token)));
  if (!attempt || !isOfBrowser(ctx, attempt, cookies) || attempt.userId === null) return undefined;
  const { returnTo } = openSecrets(ctx, attempt);
  const owner = await findUser(ctx.db, attempt.userId);
  if (!owner) return undefined;
  return {
    organization: await store.findOrganizationName(ctx.db, attempt.orgId),
    email: owner.email,
    returnTo,
    visitor: await findFreshVisitor(ctx, cookies),
  };
}

async function findFreshVisitor(ctx: Ctx, cookies: string | undefined): Promise<User | undefined> {
  const caller = await findCaller(ctx, ctx.db, cookies);
  try {
    checkAccess(signedIn({ credentials: ["session"], fresh: true, account: true }), caller, Date.now());
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
  return caller?.userId && (await findUser(ctx.db, caller.userId));
}

export interface Linked {
  /** The token of the session that single sign-on starts. */
  token: string;
  returnTo: string | null;
}

/** Links the account that the person has just signed in to. The session that proved it ends. */
export async function link(ctx: PersonCtx, token: string, cookies: string | undefined): Promise<Linked> {
  const { userId, caller } = ctx;
  const waiting = await store.findWaitingByToken(ctx.db, "link", hashSecret(token));
  if (!waiting || !isOfBrowser(ctx, waiting, cookies)) throw linkNotFound();
  if (waiting.userId !== userId)
    throw forbidden(
      "wrong_address",
      "This is for another account. Sign in to the one with the address on the page.",
    );
  // Somebody else may have created the account with this address, and may know its password.
  await requireVerifiedAddress(ctx.db, userId, "Linking the account");
  return ctx.db.transaction(async (tx) => {
    const attempt = await store.useWaitingByToken(tx, "link", hashSecret(token));
    const connector = attempt && (await findConnectorByAddress(tx, attempt.connectorId));
    if (!attempt || !connector?.enabled) throw linkNotFound();
    const { orgId, id } = connector;
    const { identity, returnTo } = openSecrets(ctx, attempt);
    if (!identity) throw linkNotFound();
    const person = await admit(ctx, tx, connector, identity, userId);
    if (person.kind !== "admitted" || person.userId !== userId)
      throw person.kind === "refused" ? conflict(person.code, person.message) : linkNotFound();
    const { subject, email } = identity;
    const message = "The owner of the account proved it, and it was linked.";
    await recordOutcome(ctx, tx, orgId, id, {
      ...{ purpose: "link", outcome: "succeeded", code: "linked", message, subject, email, userId },
    });
    await endSession(tx, userId, caller.credentialId);
    await invalidateCallers(ctx.bus, tx, caller.credentialId);
    return {
      token: await startSsoSession(ctx, tx, userId, createOrigin(connector, identity)),
      returnTo,
    };
  });
}
