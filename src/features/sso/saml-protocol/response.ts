import { readAssertion, type VerifiedAssertion } from "./assertion.ts";
import { readBase64 } from "./base64.ts";
import { decryptAssertion } from "./encryption.ts";
import { SamlError } from "./errors.ts";
import { maxResponseLength, type SamlSettings } from "./settings.ts";
import { checkIds, checkSignaturePlaces, readKeys, verifySignature } from "./signatures.ts";
import {
  childrenNamed,
  decodeUtf8,
  isNamed,
  namespaces,
  parseXml,
  readAttribute,
  readText,
  type XmlDocument,
  type XmlElement,
} from "./xml.ts";

const { protocol: samlp, assertion: saml } = namespaces;
const success = "urn:oasis:names:tc:SAML:2.0:status:Success";

/** The id of the pending request that the response must answer, or that no request is expected. */
export type Expectation = { requestId: string } | { unsolicited: true };

/** A response that is not verified. Nothing of it is trusted. */
export interface ParsedResponse {
  document: XmlDocument;
  /** The request that the response claims to answer. It is used only to find the pending request. */
  claimedRequestId: string | null;
}

/** Decodes the form field and parses it. */
export function parseResponse(samlResponse: string): ParsedResponse {
  if (samlResponse.length > maxResponseLength) throw new SamlError("saml_too_large");
  const bytes = readBase64(samlResponse);
  if (!bytes) throw new SamlError("saml_base64_invalid");
  const document = parseXml(decodeUtf8(bytes));
  if (!isNamed(document.root, samlp, "Response") || readAttribute(document.root, "Version") !== "2.0")
    throw new SamlError("saml_not_a_response");
  return { document, claimedRequestId: readAttribute(document.root, "InResponseTo") ?? null };
}

/** One assertion in the whole document, whatever its namespace, and directly inside the response. */
function findAssertion({ root, elements }: XmlDocument): XmlElement {
  const found = elements.filter(({ localName }) => /^(encrypted)?assertion$/i.test(localName));
  const [assertion] = found;
  const named =
    assertion && (isNamed(assertion, saml, "Assertion") || isNamed(assertion, saml, "EncryptedAssertion"));
  if (found.length !== 1 || !named || assertion.parentNode !== root)
    throw new SamlError("saml_assertion_count");
  return assertion;
}

function checkStatus(root: XmlElement): void {
  const [status, second] = childrenNamed(root, samlp, "Status");
  const codes = status ? childrenNamed(status, samlp, "StatusCode") : [];
  if (second || codes.length !== 1) throw new SamlError("saml_not_a_response");
  if (readAttribute(codes[0]!, "Value") === success) return;
  const inner = childrenNamed(codes[0]!, samlp, "StatusCode")[0];
  const name = /:status:([A-Za-z]{1,40})$/.exec((inner && readAttribute(inner, "Value")) ?? "")?.[1];
  throw new SamlError("saml_status_not_success", name && `It reported ${name}.`);
}

function checkEnvelope(root: XmlElement, { acsUrl, identityProvider }: SamlSettings): void {
  const issuers = childrenNamed(root, saml, "Issuer");
  if (issuers.length > 1 || issuers.some((each) => readText(each) !== identityProvider.entityId))
    throw new SamlError("saml_issuer_mismatch", `Expected ${identityProvider.entityId}.`);
  const destination = readAttribute(root, "Destination");
  if (destination !== undefined && destination !== acsUrl)
    throw new SamlError("saml_destination_mismatch", `Configure the ACS URL ${acsUrl}.`);
}

/**
 * The request id must be in signed content. In the envelope of an unsigned response it may be present too, and then it
 * must be the same.
 */
function checkRequest(
  root: XmlElement,
  { inResponseTo }: VerifiedAssertion,
  expected: Expectation,
  isResponseSigned: boolean,
): void {
  const outer = readAttribute(root, "InResponseTo") ?? null;
  if ("unsolicited" in expected) {
    if (outer !== null || inResponseTo !== null) throw new SamlError("saml_in_response_to_mismatch");
    return;
  }
  const signed = inResponseTo ?? (isResponseSigned ? outer : null);
  if (signed === null && outer === null) throw new SamlError("saml_unsolicited");
  if (signed !== expected.requestId || (outer !== null && outer !== expected.requestId))
    throw new SamlError("saml_in_response_to_mismatch");
}

/** What is trusted after the signatures were verified. */
interface Trusted {
  /** The response; only its assertion is trusted if `isResponseSigned` is false. */
  response: XmlElement;
  assertion: XmlElement;
  isResponseSigned: boolean;
  isAssertionSigned: boolean;
}

function verifySignatures(document: XmlDocument, settings: SamlSettings): Trusted {
  const keys = readKeys(settings.identityProvider.certificates);
  const claimed = findAssertion(document);
  checkIds(document);
  checkSignaturePlaces(
    document,
    claimed.localName === "Assertion" ? [document.root, claimed] : [document.root],
  );
  const signedResponse = verifySignature(document, document.root, keys);
  const response = signedResponse?.root ?? document.root;
  const isResponseSigned = signedResponse !== undefined;
  if (claimed.localName === "Assertion") {
    const signed = verifySignature(document, claimed, keys);
    const assertion = signed?.root ?? findAssertion(signedResponse ?? document);
    return { response, assertion, isResponseSigned, isAssertionSigned: signed !== undefined };
  }
  const encrypted = findAssertion(signedResponse ?? document);
  const privateKeys = [settings.keys, ...(settings.previousKeys ?? [])].flatMap(
    (each) => each?.privateKey ?? [],
  );
  const decrypted = decryptAssertion(encrypted, privateKeys, { isSigned: isResponseSigned });
  const isOne = decrypted.elements.filter(({ localName }) => /assertion$/i.test(localName)).length === 1;
  if (!isNamed(decrypted.root, saml, "Assertion") || !isOne) throw new SamlError("saml_assertion_count");
  checkIds(decrypted);
  checkSignaturePlaces(decrypted, [decrypted.root]);
  const signed = verifySignature(decrypted, decrypted.root, keys);
  const assertion = signed?.root ?? decrypted.root;
  return { response, assertion, isResponseSigned, isAssertionSigned: signed !== undefined };
}

/**
 * Verifies a response of the identity provider. Identity and conditions are read from the bytes that a signature covers,
 * and from nothing else. The caller must refuse an assertion id that it has seen before `replayUntil`.
 */
export function verifyResponse(
  settings: SamlSettings,
  response: ParsedResponse,
  expected: Expectation,
  now: number,
): VerifiedAssertion {
  const { document } = response;
  // An error has no assertion and is often not signed. It only ends the attempt.
  checkStatus(document.root);
  const trusted = verifySignatures(document, settings);
  const { isResponseSigned, isAssertionSigned } = trusted;
  const required = settings.requireSigned ?? "either";
  const enough = {
    either: isResponseSigned || isAssertionSigned,
    assertion: isAssertionSigned,
    response: isResponseSigned,
    both: isResponseSigned && isAssertionSigned,
  };
  if (!(isResponseSigned || isAssertionSigned) || !enough[required])
    throw new SamlError("saml_signature_missing");
  checkStatus(trusted.response);
  checkEnvelope(trusted.response, settings);
  const assertion = readAssertion(trusted.assertion, settings, now);
  checkRequest(trusted.response, assertion, expected, isResponseSigned);
  return assertion;
}
