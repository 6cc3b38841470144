import { NoPlaceError } from "@signalbox/flow-control";
import type { Ctx, UserId } from "../../../platform/context.ts";
import { type Db, violatedConstraint } from "../../../platform/db/index.ts";
import { forbidden, unavailable } from "../../../platform/errors.ts";
import { toNetwork } from "../../../platform/http/index.ts";
import { newId } from "../../../platform/ids.ts";
import { countMail } from "../../../platform/mail/index.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import { recordByUser } from "../../audit/index.ts";
import { tryCountMail } from "../mail-limit.ts";
import { sendVerificationMail } from "../mailbox/index.ts";
import * as mails from "../mails.ts";
import { hashPassword } from "../passwords.ts";
import { isProvisionalAddress, provisionalAddress } from "../provisional.ts";
import { type NewSession, startSession } from "../sessions/index.ts";
import { hasUsers, setPassword } from "../store.ts";
import * as store from "./store.ts";

interface SignUpInput {
  email: string;
  password: string;
  name: string;
  invitationToken?: string | undefined;
}

interface NewAccount {
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
  { invitationToken, password, name, email }: SignUpInput,
): Promise<NewSession> {
  await countMail(ctx, ctx.db, undefined);
  const checkAllowed = (tx: Db) => checkSignUpAllowed(ctx, tx, email, invitationToken);
  // Refused requests must not cause the work of hashing.
  await ctx.db.transaction(checkAllowed);
  const account = { email: email.toLowerCase(), name, passwordHash: await hashInQueue(ctx, password) };
  try {
    return await ctx.db.transaction(async (tx) => {
      await checkAllowed(tx);
      return insertAccount(ctx, tx, account);
    });
  } catch (error) {
    if (violatedConstraint(error) !== "users_email_key") throw error;
  }
  const reply = await imitateSignUp(ctx, account);
  await mailOwner(ctx, account.email);
  return reply;
}

/** A hash blocks one of few threads for a tenth of a second. At most two run at once, shared fairly by network. */
const hashQueueLimits = { capacity: 2, maxWaitMs: 20_000, maxWaiting: 1_000, maxWaitingPerKey: 300 };

async function hashInQueue({ address, queues }: Ctx, password: string): Promise<string> {
  const release = await queues("password hashes", hashQueueLimits)
    .enter(toNetwork(address))
    .catch((error) => {
      if (error instanceof NoPlaceError)
        throw unavailable("Too many accounts are being created. Try again in a minute.", 60);
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

async function checkSignUpAllowed(
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

async function insertAccount(
  ctx: Ctx,
  tx: Db,
  { email, name, passwordHash }: NewAccount,
): Promise<NewSession> {
  const id: UserId = newId("usr");
  const user = (await store.insertUser(tx, id, email, name))!;
  await setPassword(tx, id, newId("acc"), passwordHash);
  const token = await startSession(ctx, tx, id, "password");
  await sendVerificationMail(ctx, tx, email);
  await recordByUser(ctx, tx, user, { action: "user.signed_up", after: { id, email, name } });
  return { token, user };
}

/** Rolls the transaction back and carries the reply out of it. */
class RolledBackReply extends Error {
  readonly reply: NewSession;
  constructor(reply: NewSession) {
    super("rolled back on purpose");
    this.reply = reply;
  }
}

/** Makes the reply for a taken address. It does the same work as for a free address, then rolls it back. */
async function imitateSignUp(ctx: Ctx, account: NewAccount): Promise<NewSession> {
  try {
    return await ctx.db.transaction(async (tx): Promise<never> => {
      const email = provisionalAddress(newId("usr"));
      throw new RolledBackReply(await insertAccount(ctx, tx, { ...account, email }));
    });
  } catch (error) {
    if (!(error instanceof RolledBackReply)) throw error;
    const { token, user } = error.reply;
    return { token, user: { ...user, email: account.email } };
  }
}

/** Tells the owner of the address by mail that the account exists. Sends nothing beyond the limit. */
async function mailOwner(ctx: Ctx, to: string): Promise<void> {
  if (isProvisionalAddress(to) || !(await tryCountMail(ctx.db, "sign-up notices", to))) return;
  await ctx.mail.send(ctx.db, mails.createAddressTakenMail(ctx.config.publicUrl, { email: to }));
}
