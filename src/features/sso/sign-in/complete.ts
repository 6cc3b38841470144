import type { Ctx, UserId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, Refusal } from "../../../platform/errors.ts";
import { newToken } from "../../../platform/secrets.ts";
import { findUser } from "../../auth/index.ts";
import { type ConnectorRow, markTested } from "../connectors/index.ts";
import { recordOutcome } from "../events/index.ts";
import { admit, decide, listTeamNames, mapGroups, type Proof, type Verdict } from "../people/index.ts";
import { insertAttempt, openSecrets, toEventPurpose } from "./attempts.ts";
import { findPersonToConfirm } from "./question.ts";
import { createOrigin, enterSession } from "./session.ts";
import type * as store from "./store.ts";

/** How a sign-in ended, for the reply to the browser. */
export type Completed =
  | { kind: "signed_in"; token: string | undefined; returnTo: string | null }
  /** A page asks the person before anybody is signed in. */
  | { kind: "asks"; location: string }
  | { kind: "tested"; connector: ConnectorRow; result: TestResult }
  | { kind: "refused"; connector: ConnectorRow; code: string; message: string; isTest: boolean };

export interface TestResult {
  verdict: Verdict;
  /** The person who tests signed in as themselves, and would not be refused. */
  isTested: boolean;
  claims: Record<string, unknown>;
  role: string;
  teams: string[];
  groups: readonly string[] | "unknown";
  /** Whether the provider says when the person signed in. */
  hasTime: boolean;
}

/** Starts a session from a verified proof, or asks the person first. */
export async function complete(
  ctx: Ctx,
  connector: ConnectorRow,
  attempt: store.Attempt,
  proof: Proof,
  cookies: string | undefined,
): Promise<Completed> {
  if (attempt.purpose === "test") return completeTest(ctx, connector, attempt, proof);
  try {
    return await ctx.db.transaction((tx) => completeSignIn(ctx, tx, connector, attempt, proof, cookies));
  } catch (error) {
    // A refusal has rolled the transaction back. It is recorded afterwards.
    if (!(error instanceof Refusal)) throw error;
    const { message } = error;
    const code = error.body.error;
    await recordOutcome(ctx, ctx.db, connector.orgId, connector.id, {
      ...{ purpose: toEventPurpose(attempt.purpose), outcome: "refused", code, message },
      subject: proof.identity.subject,
      email: proof.identity.email,
    });
    return { kind: "refused", connector, code, message, isTest: false };
  }
}

async function completeSignIn(
  ctx: Ctx,
  tx: Db,
  connector: ConnectorRow,
  attempt: store.Attempt,
  { identity }: Proof,
  cookies: string | undefined,
): Promise<Completed> {
  const { browserHash } = attempt;
  const purpose = toEventPurpose(attempt.purpose);
  const secrets = openSecrets(ctx, attempt);
  const { returnTo } = secrets;
  const { subject, email } = identity;
  const log = (code: string, message: string, more: { userId?: UserId; isStep?: true } = {}) =>
    recordOutcome(ctx, tx, connector.orgId, connector.id, {
      ...{ purpose, outcome: "succeeded", code, message, subject, email, ...more },
    });
  const asked = await findPersonToConfirm(ctx, tx, connector, attempt, secrets, identity, cookies);
  if (asked) {
    const { isStartedElsewhere = false } = secrets;
    const token = newToken("");
    const waiting = { returnTo, proof: { identity, claims: {} }, person: asked, isStartedElsewhere };
    await insertAttempt(ctx, tx, connector, { purpose: "confirm", token, browserHash, secrets: waiting });
    await log("confirmation_needed", "The person must confirm the sign-in.", { isStep: true });
    return { kind: "asks", location: buildLocation("confirm", token) };
  }
  const person = await admit(ctx, tx, connector, identity);
  if (person.kind === "refused") throw conflict(person.code, person.message);
  if (person.kind === "prove") {
    const { userId } = person;
    const token = newToken("");
    const waiting = { returnTo, identity };
    await insertAttempt(ctx, tx, connector, {
      purpose: "link",
      token,
      browserHash,
      userId,
      secrets: waiting,
    });
    await log("proof_needed", "The address has an account. Its owner must prove that it is theirs.", {
      isStep: true,
    });
    return { kind: "asks", location: buildLocation("link", token) };
  }
  const { userId } = person;
  // Somebody else at the same computer must not take over what this person was doing.
  if (attempt.purpose === "reauthenticate" && attempt.userId !== null && attempt.userId !== userId)
    throw conflict(
      "other_person",
      "Another person signed in at the provider than the one who is signed in here. Sign out here first.",
    );
  await log(person.isNew ? "member_added" : "signed_in", "Signed in.", { userId });
  const token = await enterSession(ctx, tx, userId, createOrigin(connector, identity), cookies);
  return { kind: "signed_in", token, returnTo };
}

const buildLocation = (page: "confirm" | "link", token: string) =>
  `/v1/sso/${page}?token=${encodeURIComponent(token)}`;

/** Decides like a sign-in, and writes nothing but the log and that the test succeeded. */
async function completeTest(
  ctx: Ctx,
  connector: ConnectorRow,
  { userId: testerId }: store.Attempt,
  { identity, claims }: Proof,
): Promise<Completed> {
  const { orgId, id } = connector;
  return ctx.db.transaction(async (tx) => {
    const verdict = await decide(tx, connector, identity);
    const { groups } = identity;
    const hasTime = identity.authenticatedAt !== undefined;
    const mapped = await mapGroups(tx, connector, groups === "unknown" ? [] : groups);
    const teams = (await listTeamNames(tx, orgId, mapped.teamIds)).map(({ name }) => name);
    const member = "member" in verdict ? verdict.member : undefined;
    const role = member?.role === "owner" ? "owner" : (mapped.role ?? member?.role ?? connector.defaultRole);
    const isTester = "userId" in verdict && verdict.userId === testerId;
    const tester = testerId && (await findUser(tx, testerId));
    const isTested = verdict.kind !== "refused" && isTester && tester !== undefined && testerId !== null;
    if (isTested) await markTested(tx, orgId, id, testerId);
    await recordOutcome(ctx, tx, orgId, id, {
      purpose: "test",
      outcome: verdict.kind === "refused" ? "refused" : "succeeded",
      code: verdict.kind === "refused" ? verdict.code : "tested",
      message: verdict.kind === "refused" ? verdict.message : "A test succeeded.",
      subject: identity.subject,
      email: identity.email,
      userId: testerId,
    });
    return {
      kind: "tested",
      connector,
      result: { verdict, isTested, claims, role, teams, groups, hasTime },
    } as const;
  });
}
