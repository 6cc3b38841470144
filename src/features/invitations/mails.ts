import { formatNameForSubject, formatNameForText, type Message } from "../../platform/mail/index.ts";
import type { Invitation } from "./contract.ts";

export const createInvitationMail = (
  publicUrl: string,
  organizationName: string,
  { email, inviterName, roleName }: Invitation,
  token: string,
): Message => ({
  to: email,
  subject: `${formatNameForSubject(inviterName, "Somebody")} invites you to ${formatNameForSubject(organizationName, "an organization")}`,
  text: `Hello,

${formatNameForText(inviterName)} invites you to the organization ${formatNameForText(organizationName)} on Signalbox at ${publicUrl}.
Your role there would be: ${formatNameForText(roleName)}.

To accept, open this link within 7 days and sign in, or sign up, with this very address:

${publicUrl}/invitation?token=${encodeURIComponent(token)}

If you do not know what this is about, there is nothing to do.
`,
});
