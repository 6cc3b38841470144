import type { Ctx, UserId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, Refusal } from "../../../platform/errors.ts";
import { invalidateCallers, readCookie } from "../../../platform/http/index.ts";
import { newId } from "../../../platform/ids.ts";
import { hashSecret, newToken } from "../../../platform/secrets.ts";
import {
  cookieName,
  findUser,
  refreshSessionBySso,
  type SsoOrigin,
  sessionCredential,
  startSsoSession,
} from "../../auth/index.ts";
import { type ConnectorRow, markTested } from "../connectors/index.ts";
import { recordOutcome } from "../events/index.ts";
import { admit, decide, listTeamNames, mapGroups, type Verdict } from "../people/index.ts";
import type { Proof } from "./oidc.ts";
import { openSecrets, sealSecrets } from "./secrets.ts";
import * as store from "./store.ts";

/** How a sign-in ended, for the reply to the browser. */
export type Completed =
  | { kind: "signed_in"; token: string | undefined; returnTo: string | null }
  | { kind: "link"; token: string }
  | { kind: "tested"; connector: ConnectorRow; result: TestResult }
  | { kind: "refused"; connector: ConnectorRow; code: string; message: string; isTest: boolean };

export interface TestResult {
  verdict: Verdict;
  /** The person who tests signed in as themselves, and would come in. */
  isTested: boolean;
  claims: Record<string, unknown>;
  role: string;
  teams: string[];
  groups: readonly string[] | "unknown";
}

const linkMinutes = 10;

/** Turns a verified proof into a session, or into the question whose account it is. */
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
    // A refusal takes everything back that was done for the person, and is then recorded.
    if (!(error instanceof Refusal)) throw error;
    const { message } = error;
    const code = error.body.error;
    await recordOutcome(ctx, ctx.db, connector.orgId, connector.id, {
      ...{ purpose: attempt.purpose, outcome: "refused", code, message },
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
  const { orgId, id } = connector;
  const { purpose } = attempt;
  const { returnTo } = openSecrets(ctx.keyring, orgId, attempt.id, attempt.secrets);
  const { subject, email } = identity;
  const log = (code: string, message: string, userId?: UserId) =>
    recordOutcome(ctx, tx, orgId, id, {
      ...{ purpose, outcome: "succeeded", code, message, subject, email, userId },
    });
  const person = await admit(ctx, tx, connector, identity);
  if (person.kind === "refused") throw conflict(person.code, person.message);
  if (person.kind === "prove") {
    const token = newToken("");
    const attemptId = newId("sat");
    await store.insert(tx, orgId, {
      id: attemptId,
      connectorId: id,
      purpose: "link",
      stateHash: hashSecret(token),
      browserHash: attempt.browserHash,
      secrets: sealSecrets(ctx.keyring, orgId, attemptId, { nonce: "", verifier: "", returnTo, identity }),
      userId: person.userId,
      minutes: linkMinutes,
    });
    await log("proof_needed", "The address has an account. Its owner must prove that it is theirs.");
    return { kind: "link", token };
  }
  const { userId } = person;
  // Somebody else at the same computer must not take over what this person was doing.
  if (purpose === "reauthenticate" && attempt.userId !== null && attempt.userId !== userId)
    throw conflict(
      "other_person",
      "Another person signed in at the provider than the one who is signed in here. Sign out here first.",
    );
  await log(person.isNew ? "member_added" : "signed_in", "Signed in.", userId);
  const sso = {
    orgId,
    connectorId: id,
    authenticatedAt: Math.min(identity.authenticatedAt ?? Date.now(), Date.now()),
  };
  const token = (await renewSession(ctx, tx, userId, sso, cookies))
    ? undefined
    : await startSsoSession(ctx, tx, userId, sso);
  return { kind: "signed_in", token, returnTo };
}

/** A browser that has a session of this connector keeps it. Its programs and pages then go on working. */
async function renewSession(
  ctx: Ctx,
  tx: Db,
  userId: UserId,
  sso: SsoOrigin,
  cookies: string | undefined,
): Promise<boolean> {
  const cookie = readCookie(cookies, cookieName(ctx.config.publicUrl));
  const caller = cookie && (await sessionCredential.find(tx, hashSecret(cookie), sso.orgId));
  if (!caller || caller.userId !== userId) return false;
  const isRenewed = (await refreshSessionBySso(tx, sso.orgId, userId, caller.credentialId, sso)) > 0;
  if (isRenewed) await invalidateCallers(ctx.bus, tx, caller.credentialId);
  return isRenewed;
}

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
    const groups = identity.groups;
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
      message: verdict.kind === "refused" ? verdict.message : "A test reached the end.",
      subject: identity.subject,
      email: identity.email,
      userId: testerId,
    });
    return { kind: "tested", connector, result: { verdict, isTested, claims, role, teams, groups } } as const;
  });
}
