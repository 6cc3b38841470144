import { formatNameForText, type Message } from "../../../platform/mail/index.ts";

interface Admin {
  email: string;
  name: string;
  organization: string;
}

interface MissingRecord {
  domain: string;
  txtName: string;
  txtValue: string;
  graceDays: number;
}

/** The first mail about a missing record, while the domain is still verified. */
export const createMissingRecordMail = (
  publicUrl: string,
  { email, name, organization }: Admin,
  { domain, txtName, txtValue, graceDays }: MissingRecord,
): Message => ({
  to: email,
  subject: `The DNS record of ${domain} is missing`,
  text: `Hello ${formatNameForText(name)},

${formatNameForText(organization)} at ${publicUrl} proved that ${domain} is its domain with a DNS record. The record is gone.
If it stays away for ${graceDays} days, the domain is no longer verified: people of ${domain} who have not signed in
before can then not sign in with single sign-on.

Add this TXT record again:

${txtName}
${txtValue}
`,
});

export const createDomainLostMail = (
  publicUrl: string,
  { email, name, organization }: Admin,
  { domain, txtName, txtValue, graceDays }: MissingRecord,
): Message => ({
  to: email,
  subject: `${domain} is no longer verified`,
  text: `Hello ${formatNameForText(name)},

the DNS record of ${domain} was missing for ${graceDays} days, so ${domain} is no longer a verified domain of
${formatNameForText(organization)} at ${publicUrl}. People who have signed in before can still do so.

To verify it again, add this TXT record and call POST /v1/sso/domains/{id}/verify:

${txtName}
${txtValue}
`,
});
