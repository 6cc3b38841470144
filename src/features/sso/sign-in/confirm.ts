import type { Ctx } from "../../../platform/context.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { type HttpHeaders, refuseOtherSite } from "../../../platform/http/index.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import { findVisitor, type User } from "../../auth/index.ts";
import { findConnectorByAddress } from "../connectors/index.ts";
import { recordOutcome } from "../events/index.ts";
import { openSecrets } from "./attempts.ts";
import { complete } from "./complete.ts";
import type { ConfirmAnswer } from "./contract.ts";
import { isOfBrowser } from "./cookie.ts";
import * as store from "./store.ts";

export interface ConfirmPage {
  person: { name: string; email: string };
  organization: string;
  connector: string;
  isStartedElsewhere: boolean;
  /** Who is signed in in this browser now. */
  visitor: User | undefined;
}

async function findWaiting(
  ctx: Ctx,
  token: string,
  cookies: string | undefined,
): Promise<store.Attempt | undefined> {
  const attempt = await store.findWaitingByToken(ctx.db, "confirm", hashSecret(token));
  return attempt && isOfBrowser(ctx, attempt, cookies) ? attempt : undefined;
}

/** The sign-in that waits. Undefined when it was answered, has expired, or belongs to another browser. */
export async function openConfirmation(
  ctx: Ctx,
  token: string | undefined,
  cookies: string | undefined,
): Promise<ConfirmPage | undefined> {
  const attempt = token && (await findWaiting(ctx, token, cookies));
  const connector = attempt && (await findConnectorByAddress(ctx.db, attempt.connectorId));
  if (!attempt || !connector) return undefined;
  const { person, isStartedElsewhere = false } = openSecrets(ctx, attempt);
  if (!person) return undefined;
  return {
    person,
    organization: await store.findOrganizationName(ctx.db, attempt.orgId),
    connector: connector.name,
    isStartedElsewhere,
    visitor: await findVisitor(ctx, cookies),
  };
}

export interface Confirmed {
  location: string;
  /** The token of a new session. Undefined when the browser keeps what it has. */
  token: string | undefined;
}

/** Signs the person in, or drops the sign-in. Of two answers, one counts. */
export async function confirm(
  ctx: Ctx,
  { token, answer }: ConfirmAnswer,
  headers: HttpHeaders,
): Promise<Confirmed> {
  refuseOtherSite(headers);
  const attempt =
    (await findWaiting(ctx, token, headers.cookie)) &&
    (await store.useWaitingByToken(ctx.db, "confirm", hashSecret(token)));
  const connector = attempt && (await findConnectorByAddress(ctx.db, attempt.connectorId));
  const { proof } = attempt ? openSecrets(ctx, attempt) : {};
  if (!attempt || !connector || !proof) throw notFound("sso_confirmation");
  if (answer === "cancel") {
    await recordOutcome(ctx, ctx.db, connector.orgId, connector.id, {
      purpose: "sign_in",
      outcome: "refused",
      code: "cancelled",
      message: "The person did not confirm the sign-in.",
      subject: proof.identity.subject,
      email: proof.identity.email,
      isStep: true,
    });
    return { location: "/", token: undefined };
  }
  const result = await complete(ctx, connector, attempt, proof, headers.cookie);
  switch (result.kind) {
    case "signed_in":
      return { location: result.returnTo ?? "/", token: result.token };
    case "asks":
      return { location: result.location, token: undefined };
    case "refused":
      throw conflict(result.code, result.message);
    case "tested":
      throw notFound("sso_confirmation");
  }
}
