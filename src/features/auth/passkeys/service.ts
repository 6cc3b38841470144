import type { Ctx, PersonCtx, UserId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, invalidField, notFound, unauthorized } from "../../../platform/errors.ts";
import { countAttempt, cutPageById, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import { record } from "../../audit/index.ts";
import { refuseWhileBreakGlass } from "../break-glass/index.ts";
import * as mails from "../mails.ts";
import { type NewSession, startSession } from "../sessions/index.ts";
import { findPasswordHash, findUser } from "../store.ts";
import {
  addBackupCodes,
  countChallengeTry,
  endChallenge,
  findChallengeByToken,
  hasTwoFactor,
  lockPerson,
  removeUnneededBackupCodes,
} from "../two-factor/index.ts";
import { requireVerifiedAddress } from "../verified.ts";
import type { RegistrationCredential, SignInCredential } from "../webauthn-credentials.ts";
import * as store from "./store.ts";
import * as webauthn from "./webauthn.ts";

const maxPasskeys = 20;

function requireSite({ config }: Ctx) {
  const site = webauthn.findSite(config.publicUrl);
  if (site) return site;
  throw conflict(
    "passkeys_unavailable",
    "Browsers allow passkeys only on https, or on http://localhost, and never on an IP address. Set PUBLIC_URL to such an address and open it there.",
  );
}

export async function list({ db, userId }: PersonCtx, query: PageQuery) {
  return cutPageById(await store.list(db, userId, readIdCursor(query, "psk"), query.limit + 1), query);
}

export async function begin(ctx: PersonCtx) {
  const { db, userId } = ctx;
  const site = requireSite(ctx);
  await requireVerifiedAddress(db, userId, "A passkey");
  const known = await store.listKeys(db, userId);
  if (known.length >= maxPasskeys) throw tooMany();
  const options = await webauthn.createRegistrationOptions(site, (await findUser(db, userId))!, known);
  await saveChallenge(db, options.challenge, "register", userId);
  return { options };
}

const tooMany = () =>
  conflict("too_many_passkeys", `An account has at most ${maxPasskeys} passkeys. Remove one first.`);

const saveChallenge = (db: Db, challenge: string, purpose: "register" | "sign_in", userId: UserId | null) =>
  store.insertChallengeAcrossOrganizations(db, hashSecret(challenge), {
    purpose,
    userId,
    minutes: webauthn.challengeMinutes,
  });

const badRegistration = () =>
  invalidField(
    ["credential"],
    "This does not answer the options, they are older than 5 minutes, or were answered before. Begin again.",
  );

export async function create(
  ctx: PersonCtx,
  { name, credential }: { name: string; credential: RegistrationCredential },
) {
  const { db, userId } = ctx;
  const site = requireSite(ctx);
  await requireVerifiedAddress(db, userId, "A passkey");
  const challenge = webauthn.readChallenge(credential);
  const issued = challenge && (await store.useChallengeByToken(db, hashSecret(challenge), "register"));
  if (!issued || issued.userId !== userId) throw badRegistration();
  const key = await webauthn.verifyRegistration(site, challenge, credential);
  if (!key) throw badRegistration();
  return db.transaction(async (tx) => {
    await lockPerson(tx, userId);
    if ((await store.listKeys(tx, userId)).length >= maxPasskeys) throw tooMany();
    const { transports = [] } = credential.response;
    const passkey = await store.insert(tx, userId, { ...key, id: newId("psk"), transports, name });
    if (!passkey) throw conflict("passkey_known", "This passkey was added before. Choose another one.");
    await recordAndMail(ctx, tx, "added", passkey);
    return { passkey, backupCodes: await addBackupCodes(tx, userId) };
  });
}

export async function rename(ctx: PersonCtx, id: string, { name }: { name: string }) {
  return ctx.db.transaction(async (tx) => {
    const passkey = isId("psk", id) ? await store.rename(tx, ctx.userId, id, name) : undefined;
    if (!passkey) throw notFound("passkey");
    const target = { type: "passkey", id };
    await record(ctx, tx, { action: "user.passkey_renamed", target, after: { name } }, null);
    return { passkey };
  });
}

export async function remove(ctx: PersonCtx, id: string): Promise<void> {
  const { db, userId } = ctx;
  await db.transaction(async (tx) => {
    await lockPerson(tx, userId);
    const passkey = isId("psk", id) ? await store.remove(tx, userId, id) : undefined;
    if (!passkey) throw notFound("passkey");
    const isLast = (await store.listKeys(tx, userId)).length === 0;
    if (isLast && (await findPasswordHash(tx, userId)) === undefined)
      throw conflict(
        "no_other_way_in",
        "This is the only passkey, and the account has no password. Reset the password first to get one.",
      );
    // With several second factors, the others stay.
    if (!(await hasTwoFactor(tx, userId))) await refuseWhileBreakGlass(tx, userId);
    await removeUnneededBackupCodes(tx, userId);
    await recordAndMail(ctx, tx, "removed", passkey);
  });
}

/** Sends a mail too, so that the person notices a change by somebody else. */
async function recordAndMail(
  ctx: PersonCtx,
  tx: Db,
  change: "added" | "removed",
  { id, name }: { id: string; name: string },
): Promise<void> {
  const target = { type: "passkey", id };
  await record(ctx, tx, { action: `user.passkey_${change}`, target, after: { name } }, null);
  const user = await findUser(tx, ctx.userId);
  if (user) await ctx.mail.send(tx, mails.createPasskeyChangedMail(ctx.config.publicUrl, user, change, name));
}

/** Anybody may ask. Only a right and pending first step names the passkeys that can follow it. */
export async function createOptions(ctx: Ctx, twoFactorToken: string | undefined) {
  const site = requireSite(ctx);
  const pending =
    twoFactorToken === undefined ? undefined : await findChallengeByToken(ctx.db, hashSecret(twoFactorToken));
  const allowed = pending ? await store.listKeys(ctx.db, pending.userId) : [];
  const options = await webauthn.createSignInOptions(site, allowed);
  await saveChallenge(ctx.db, options.challenge, "sign_in", null);
  return { options };
}

interface SignInInput {
  credential: SignInCredential;
  twoFactorToken?: string | undefined;
}

const signInError = () =>
  unauthorized(
    "invalid_credentials",
    "The passkey is unknown or was removed, or the sign-in took too long. Try again, or sign in another way.",
  );

export async function signIn(ctx: Ctx, { credential, twoFactorToken }: SignInInput): Promise<NewSession> {
  const tokenHash = twoFactorToken === undefined ? undefined : hashSecret(twoFactorToken);
  const pending = tokenHash === undefined ? undefined : await countChallengeTry(ctx.db, tokenHash);
  if (tokenHash !== undefined && !pending) throw signInError();
  const verified = await verify(ctx, credential, { requireUserVerification: !pending });
  if (!verified || (pending && pending.userId !== verified.userId)) throw signInError();
  const { userId } = verified;
  return ctx.db.transaction(async (tx) => {
    const user = await findUser(tx, userId);
    if (!user || !(await store.recordUse(tx, userId, verified.id, verified.counter))) throw signInError();
    if (tokenHash !== undefined && !(await endChallenge(tx, userId, tokenHash))) throw signInError();
    return { token: await startSession(ctx, tx, userId, "passkey"), user };
  });
}

/** Throws unless the passkey belongs to the caller. The session has proved its person already. */
export async function checkPasskey(ctx: PersonCtx, credential: SignInCredential): Promise<void> {
  await countAttempt(ctx.db, `passkey ${ctx.userId}`, { attempts: 60, perSeconds: 3600 });
  const verified = await verify(ctx, credential, { requireUserVerification: false });
  const isRight =
    verified?.userId === ctx.userId &&
    (await store.recordUse(ctx.db, ctx.userId, verified.id, verified.counter));
  if (!isRight) throw invalidField(["passkey"], "This passkey is not yours, or it took too long. Try again.");
}

/** Uses up the challenge first, so that no signature is checked twice. */
async function verify(
  ctx: Ctx,
  credential: SignInCredential,
  options: { requireUserVerification: boolean },
): Promise<(store.StoredKey & { counter: number }) | undefined> {
  const site = requireSite(ctx);
  const challenge = webauthn.readChallenge(credential);
  if (!challenge || !(await store.useChallengeByToken(ctx.db, hashSecret(challenge), "sign_in")))
    return undefined;
  const key = await store.findKeyAcrossOrganizations(ctx.db, credential.id);
  const handle = credential.response.userHandle;
  if (!key || (handle && Buffer.from(handle, "base64url").toString() !== key.userId)) return undefined;
  const result = await webauthn.verifySignIn(site, challenge, credential, key, options);
  return result && { ...key, counter: result.counter };
}
