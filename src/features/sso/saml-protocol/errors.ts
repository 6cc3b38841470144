/**
 * Why a SAML document was refused, one sentence for the administrator of the connector. No sentence contains a value of
 * the document, because the log that shows them is read by people who must not see assertions.
 */
const sentences = {
  saml_too_large: "The document is larger, or has more elements or attributes, than the service accepts.",
  saml_base64_invalid: "SAMLResponse is not valid base64. Check that no proxy changes or cuts the form.",
  saml_xml_invalid: "The document is not well-formed XML in UTF-8.",
  saml_markup_forbidden:
    "The document contains a DOCTYPE, an entity, a comment, a CDATA section or a processing instruction. The service accepts none of them.",
  saml_id_invalid: "Two elements have the same ID, or an ID is malformed or in a namespace.",
  saml_not_a_response: "The document is not a SAML 2.0 Response.",
  saml_status_not_success:
    "The identity provider did not sign the person in. Its own log shows the reason; often the person is not assigned to the application.",
  saml_assertion_count:
    "The response must contain exactly one Assertion or EncryptedAssertion, directly inside Response.",
  saml_signature_missing:
    "Neither the response nor the assertion is signed as the connector requires. Turn on signing at the identity provider.",
  saml_signature_misplaced:
    "A signature is not directly inside the Response or the Assertion that it signs, or an element has several.",
  saml_signature_malformed: "A signature has a structure that the service does not accept.",
  saml_algorithm_forbidden:
    "The document is signed or encrypted with an algorithm that the service does not accept. Choose RSA-SHA256 (or stronger) with SHA-256 digests, and AES-GCM with RSA-OAEP.",
  saml_signature_digest_mismatch: "The signed content was changed after it was signed.",
  saml_signature_key_unknown:
    "No certificate of the connector verifies the signature. If the identity provider changed its certificate, load its metadata again and approve the change.",
  saml_key_weak: "A certificate of the identity provider has an RSA key of less than 2048 bits. Replace it.",
  saml_certificate_invalid: "A certificate cannot be read, or has a key that is neither RSA nor ECDSA.",
  saml_encryption_unsigned_cbc:
    "The assertion is encrypted with AES-CBC and the response is not signed. Choose AES-GCM, or turn on signing of the response at the identity provider.",
  saml_decryption_failed:
    "The assertion could not be decrypted. Check that the identity provider encrypts with the current certificate of this connector.",
  saml_issuer_mismatch: "The issuer is not the entity id of the identity provider of this connector.",
  saml_destination_mismatch: "Destination is not the ACS URL of this connector.",
  saml_recipient_mismatch: "Recipient is missing or is not the ACS URL of this connector.",
  saml_audience_mismatch:
    "The assertion is not meant for this connector: its audience is missing or is not the entity id of this connector.",
  saml_in_response_to_mismatch:
    "The response does not answer the request of this sign-in. Start the sign-in again; if it repeats, the browser may have used an old page.",
  saml_unsolicited:
    "The sign-in was started by the identity provider, and the connector does not allow this.",
  saml_conditions_invalid: "The assertion has no Conditions, several, or one that the service does not know.",
  saml_time_invalid: "A time in the assertion is missing or malformed.",
  saml_not_yet_valid: "The assertion is not valid yet. Compare the clocks of both servers.",
  saml_expired: "The assertion has expired. Compare the clocks of both servers.",
  saml_too_old: "The assertion was issued too long ago. Compare the clocks of both servers.",
  saml_session_expired: "The session at the identity provider has ended.",
  saml_confirmation_missing: "The assertion has no bearer SubjectConfirmation.",
  saml_authentication_missing: "The assertion has no AuthnStatement.",
  saml_replayed: "The assertion was used before. Start the sign-in again.",
  saml_authentication_old:
    "The person had to prove again who they are, and the identity provider did not ask them. Check that it supports ForceAuthn.",
  saml_subject_missing:
    "The assertion has no readable NameID. Configure a persistent NameID at the identity provider; an encrypted NameID is not supported.",
  saml_subject_transient:
    "The NameID is transient: it changes at each sign-in. Configure a persistent NameID, or name an attribute that identifies the person.",
  saml_subject_attribute:
    "The attribute that identifies the person is missing or has several values. Check the attribute mapping at the identity provider.",
  saml_assertion_malformed: "The assertion has a structure that the service does not accept.",
  saml_metadata_not_metadata: "The document is not SAML 2.0 metadata of an identity provider.",
  saml_metadata_several_providers:
    "The metadata describes several identity providers. Give the metadata of one, or its entity id.",
  saml_metadata_other_entity:
    "The metadata has no identity provider with the entity id of this connector. For another provider, create another connector.",
  saml_metadata_no_endpoint:
    "The metadata has no SingleSignOnService with HTTP-Redirect or HTTP-POST and an https address.",
  saml_metadata_no_certificate: "The metadata has no certificate for signing.",
  saml_metadata_expired: "The metadata is no longer valid (validUntil). Load it again.",
  saml_binding_unsupported: "The identity provider does not offer this binding.",
  saml_signing_key_missing: "The identity provider requires signed requests, and the connector has no key.",
} as const;

export type SamlErrorCode = keyof typeof sentences;

export class SamlError extends Error {
  readonly code: SamlErrorCode;
  /** `detail` must not contain a value of the document. */
  constructor(code: SamlErrorCode, detail?: string) {
    super(detail ? `${sentences[code]} ${detail}` : sentences[code]);
    this.code = code;
  }
}
