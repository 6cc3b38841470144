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

interface EndingCertificate {
  id: string;
  connector: string;
  /** The identity provider's certificate signs assertions. Our own signs requests and receives encrypted assertions. */
  owner: "provider" | "own";
  fingerprint: string;
  notAfter: number;
  isOver: boolean;
}

export const createCertificateMail = (
  publicUrl: string,
  { email, name, organization }: Admin,
  { id, connector, owner, fingerprint, notAfter, isOver }: EndingCertificate,
): Message => {
  const date = new Date(notAfter).toISOString().slice(0, 10);
  const subject = owner === "own" ? "Our SAML certificate" : "The SAML certificate of your identity provider";
  return {
    to: email,
    subject: `${subject} ${isOver ? "has ended" : `ends on ${date}`}`,
    text: `Hello ${formatNameForText(name)},

${owner === "own" ? "our certificate" : "the certificate of the identity provider"} for the connector "${formatNameForText(connector)}" of ${formatNameForText(organization)}
at ${publicUrl} ${isOver ? "ended" : "ends"} on ${date}.

SHA-256 ${fingerprint}

We accept a certificate after its end, so people can still sign in. Your identity provider may not.
${
  owner === "own"
    ? `Create a new certificate, then give the provider our metadata again:

POST ${publicUrl}/v1/sso/${id}/saml/certificate
GET  ${publicUrl}/v1/sso/${id}/saml/metadata`
    : `Create a new certificate at the provider, then approve it here before the provider uses it:

GET  ${publicUrl}/v1/sso/${id}/metadata
POST ${publicUrl}/v1/sso/${id}/metadata/approve`
}
`,
  };
};
