import type { Ctx, UserId } from "../../../platform/context.ts";
import { type Db, violatedConstraint } from "../../../platform/db/index.ts";
import { forbidden, unavailable } from "../../../platform/errors.ts";
import { NoPlaceError } from "../../../platform/fair-queue.ts";
import { toNetwork } from "../../../platform/http/index.ts";
import { newId } from "../../../platform/ids.ts";
import { countMail } from "../../../platform/mail/index.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import { recordOfUser } from "../../audit/index.ts";
import { mayMail } from "../mail-limit.ts";
import { mailVerification } from "../mailbox/index.ts";
import * as mails from "../mails.ts";
import { hashPassword } from "../passwords.ts";
import { isProvisionalAddress, provisionalAddress } from "../provisional.ts";
import { type SignedIn, startSession } from "../sessions/index.ts";
import { hasUsers, setPassword } from "../store.ts";
import * as store from "./store.ts";

interface SignUp {
  email: string;
  password: string;
  name: string;
  invitationToken?: string | undefined;
}

interface Account {
  email: string;
  name: string;
  passwordHash: string;
}

/**
 * Makes an account if `SIGNUP` allows it. The reply does not show whether the address already has an account: then
 * its token is not valid, and the owner of the address gets a mail.
 */
export async function signUp(
  ctx: Ctx,
  { invitationToken, password, name, email }: SignUp,
): Promise<SignedIn> {
  await countMail(ctx, ctx.db, undefined);
  const enter = (tx: Db) => requireEntry(ctx, tx, email, invitationToken);
  // Refused requests must not cause the work of hashing.
  await ctx.db.transaction(enter);
  const account = { email: email.toLowerCase(), name, passwordHash: await hashInTurn(ctx, password) };
  try {
    return await ctx.db.transaction(async (tx) => {
      await enter(tx);
      return insertAccount(ctx, tx, account);
    });
  } catch (error) {
    if (violatedConstraint(error) !== "users_email_key") throw error;
  }
  const reply = await rehearse(ctx, account);
  await tellOwner(ctx, account.email);
  return reply;
}

/** A hash blocks one of few threads for a tenth of a second. At most two run at once, shared fairly by network. */
const places = { capacity: 2, maxWaitMs: 20_000, maxWaiting: 1_000, maxWaitingPerKey: 300 };

async function hashInTurn({ address, queues }: Ctx, password: string): Promise<string> {
  const release = await queues("password hashes", places)
    .enter(toNetwork(address))
    .catch((error) => {
      if (error instanceof NoPlaceError)
        throw unavailable("Too many accounts are being made. Try again in a minute.", 60);
      throw error;
    });
  try {
    return await hashPassword(password);
  } finally {
    release();
  }
}

/** Whether a page offers sign-up. `isInvited` means that the visitor opened the link of an invitation. */
export const offersSignUp = async ({ config, db }: Ctx, isInvited: boolean): Promise<boolean> =>
  config.signup === "open" || (isInvited && config.signup === "invited") || !(await hasUsers(db));

async function requireEntry(
  { config }: Ctx,
  tx: Db,
  email: string,
  invitationToken: string | undefined,
): Promise<void> {
  if (config.signup === "open") return;
  if (!(await hasUsers(tx))) {
    await store.lockFirstAccount(tx);
    if (!(await hasUsers(tx))) return;
  }
  if (config.signup === "closed") {
    throw forbidden(
      "signup_closed",
      "This instance takes no new accounts. Ask the people who run it; SIGNUP decides who can make one.",
    );
  }
  if (invitationToken === undefined) {
    throw forbidden(
      "invitation_required",
      "Making an account here needs an invitation. Open the link in yours, or ask a member to invite you.",
    );
  }
  if (!(await store.isInvitedByToken(tx, hashSecret(invitationToken), email))) {
    throw forbidden(
      "invitation_not_valid",
      "This invitation is for another address, or is no longer valid. Use the address that it was sent to, or ask for a new invitation.",
    );
  }
}

async function insertAccount(ctx: Ctx, tx: Db, { email, name, passwordHash }: Account): Promise<SignedIn> {
  const id: UserId = newId("usr");
  const user = (await store.insertUser(tx, id, email, name))!;
  await setPassword(tx, id, newId("acc"), passwordHash);
  const token = await startSession(ctx, tx, id, "password");
  await mailVerification(ctx, tx, email);
  await recordOfUser(ctx, tx, user, { action: "user.signed_up", after: { id, email, name } });
  return { token, user };
}

/** Rolls the transaction back and carries the reply out of it. */
class Rehearsed extends Error {
  readonly reply: SignedIn;
  constructor(reply: SignedIn) {
    super("rolled back on purpose");
    this.reply = reply;
  }
}

/** Makes the reply for a taken address. It does the same work as for a free address, then rolls it back. */
async function rehearse(ctx: Ctx, account: Account): Promise<SignedIn> {
  try {
    return await ctx.db.transaction(async (tx): Promise<never> => {
      const email = provisionalAddress(newId("usr"));
      throw new Rehearsed(await insertAccount(ctx, tx, { ...account, email }));
    });
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
    const { token, user } = error.reply;
    return { token, user: { ...user, email: account.email } };
  }
}

/** Tells the owner of the address by mail that the account exists. Sends nothing beyond the limit. */
async function tellOwner(ctx: Ctx, to: string): Promise<void> {
  if (isProvisionalAddress(to) || !(await mayMail(ctx.db, "sign-up notices", to))) return;
  await ctx.mail.send(ctx.db, mails.addressTaken(ctx.config.publicUrl, { email: to }));
}
