import { formatNameForText, type Message } from "../../platform/mail/index.ts";

interface Person {
  email: string;
  name: string;
}

/** The mail does not contain the name, because a stranger may have chosen it. */
export const createVerificationMail = (
  publicUrl: string,
  { email }: Pick<Person, "email">,
  token: string,
): Message => ({
  to: email,
  subject: "Confirm your e-mail address",
  text: `Hello,

somebody signed up to Signalbox at ${publicUrl} with this address.
Open this link within 24 hours to confirm the address if it was you, or to close the account if it was not:

${publicUrl}/api/auth/verify-email?token=${encodeURIComponent(token)}

If it was not you and you do nothing, the address stays unconfirmed.
`,
});

export const createAddressTakenMail = (publicUrl: string, { email }: Pick<Person, "email">): Message => ({
  to: email,
  subject: "You already have an account",
  text: `Hello,

somebody tried to sign up to Signalbox at ${publicUrl} with this address.
There is an account with this address already, so no new one was made, and nothing has changed.

If it was you, sign in with your password, or reset it if you do not know it.
If it was not you, there is nothing to do.
`,
});

export const createTwoFactorChangedMail = (
  publicUrl: string,
  { email, name }: Person,
  state: "on" | "off",
): Message => ({
  to: email,
  subject: `Two-factor sign-in is ${state}`,
  text: `Hello ${formatNameForText(name)},

two-factor sign-in was switched ${state} for your account at ${publicUrl}.
If it was you, there is nothing to do. If it was not, change your password at once: every session ends with it.
`,
});

export const createPasskeyChangedMail = (
  publicUrl: string,
  { email, name }: Person,
  change: "added" | "removed",
  passkey: string,
): Message => ({
  to: email,
  subject: `A passkey was ${change}`,
  text: `Hello ${formatNameForText(name)},

the passkey "${formatNameForText(passkey)}" was ${change} for your account at ${publicUrl}.
If it was you, there is nothing to do. If it was not, reset your password, sign in, and check your passkeys at ${publicUrl}/passkeys.
`,
});

export const createBackupCodeUsedMail = (
  publicUrl: string,
  { email, name }: Person,
  left: number,
): Message => ({
  to: email,
  subject: "A backup code was used",
  text: `Hello ${formatNameForText(name)},

one of your backup codes was used for your account at ${publicUrl}. You have ${left} left.
If it was you, there is nothing to do. If it was not, sign in, switch the second factor off and on again, and change your password.
`,
});

export const createTwoFactorResetMail = (publicUrl: string, { email, name }: Person): Message => ({
  to: email,
  subject: "Your second factor was removed",
  text: `Hello ${formatNameForText(name)},

an operator of ${publicUrl} removed the second factor of your account, and every session of yours ended.
Sign in with your password and set up a new second factor.
If you did not ask for this, reset your password and tell the operator.
`,
});

export const createBreakGlassMail = (
  publicUrl: string,
  owner: Person,
  { organization, person, address }: { organization: string; person: Person; address: string },
): Message => ({
  to: owner.email,
  subject: "Somebody signed in without single sign-on",
  text: `Hello ${formatNameForText(owner.name)},

${formatNameForText(organization)} at ${publicUrl} requires single sign-on. ${formatNameForText(person.name)} (${person.email}), the owner who may
sign in without it, signed in with password and second factor, from the network address ${address}.

If this was expected, there is nothing to do. If not, talk to that person at once: end the session, change the password,
and name another owner in the settings of the organization.
`,
});

export const createResetPasswordMail = (
  publicUrl: string,
  { email }: Pick<Person, "email">,
  token: string,
): Message => ({
  to: email,
  subject: "Choose a new password",
  text: `Hello,

somebody asked to reset the password of this address at ${publicUrl}.
If it was you, choose a new one by opening this link within an hour:

${publicUrl}/reset-password?token=${encodeURIComponent(token)}

Every session of yours ends when you do. If it was not you, there is nothing to do.
`,
});
