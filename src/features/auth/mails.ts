import type { Message } from "../../platform/mail/index.ts";

interface Person {
  email: string;
  name: string;
}

export const verifyEmail = (publicUrl: string, { email, name }: Person, token: string): Message => ({
  to: email,
  subject: "Confirm your e-mail address",
  text: `Hello ${name},

somebody signed up to Signalbox at ${publicUrl} with this address.
If it was you, confirm the address by opening this link within 24 hours:

${publicUrl}/api/auth/verify-email?token=${encodeURIComponent(token)}

If it was not you, there is nothing to do.
`,
});

export const twoFactorChanged = (
  publicUrl: string,
  { email, name }: Person,
  state: "on" | "off",
): Message => ({
  to: email,
  subject: `Two-factor sign-in is ${state}`,
  text: `Hello ${name},

two-factor sign-in was switched ${state} for your account at ${publicUrl}.
If it was you, there is nothing to do. If it was not, change your password at once: every session ends with it.
`,
});

export const resetPassword = (publicUrl: string, { email, name }: Person, token: string): Message => ({
  to: email,
  subject: "Choose a new password",
  text: `Hello ${name},

somebody asked to reset the password of this address at ${publicUrl}.
If it was you, choose a new one by opening this link within an hour:

${publicUrl}/reset-password?token=${encodeURIComponent(token)}

Every session of yours ends when you do. If it was not you, there is nothing to do.
`,
});
