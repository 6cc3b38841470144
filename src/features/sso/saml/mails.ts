import { formatNameForText, type Message } from "../../../platform/mail/index.ts";
import type { CertificateFacts } from "../saml-protocol/index.ts";

interface Admin {
  email: string;
  name: string;
  organization: string;
}

interface Found {
  id: string;
  connector: string;
  added: CertificateFacts[];
  removed: CertificateFacts[];
}

const listFingerprints = (title: string, certificates: CertificateFacts[]): string =>
  certificates.length === 0
    ? ""
    : `\n${title}\n${certificates.map(({ fingerprint }) => `- SHA-256 ${fingerprint}`).join("\n")}\n`;

/** Names of certificates are chosen by the provider, so the mail shows only fingerprints. */
export const createMetadataChangeMail = (
  publicUrl: string,
  { email, name, organization }: Admin,
  { id, connector, added, removed }: Found,
): Message => ({
  to: email,
  subject: "Your identity provider changed its SAML metadata",
  text: `Hello ${formatNameForText(name)},

the metadata of the identity provider "${formatNameForText(connector)}" of ${formatNameForText(organization)} at ${publicUrl}
has changed. The change does not take effect until somebody approves it. If the provider replaces its certificate and
nobody approves the new one, people can no longer sign in with it.
${listFingerprints("New certificates:", added)}${listFingerprints("Certificates that are gone:", removed)}
Compare the fingerprints with the provider, then approve the change:

GET  ${publicUrl}/v1/sso/${id}/metadata
POST ${publicUrl}/v1/sso/${id}/metadata/approve
`,
});
