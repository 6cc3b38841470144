import { type Message, nameInSubject, nameInText } from "../../platform/mail/index.ts";
import type { Invitation } from "./contract.ts";

export const createInvitationMail = (
  publicUrl: string,
  organizationName: string,
  { email, inviterName, roleName }: Invitation,
  token: string,
): Message => ({
  to: email,
  subject: `${nameInSubject(inviterName, "Somebody")} invites you to ${nameInSubject(organizationName, "an organization")}`,
  text: `Hello,

${nameInText(inviterName)} invites you to the organization ${nameInText(organizationName)} on Signalbox at ${publicUrl}.
Your role there would be: ${nameInText(roleName)}.

To accept, open this link within 7 days and sign in, or sign up, with this very address:

${publicUrl}/invitation?token=${encodeURIComponent(token)}

If you do not know what this is about, there is nothing to do.
`,
});
