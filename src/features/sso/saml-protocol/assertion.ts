import { SamlError } from "./errors.ts";
import { clockSkewMs, maxAssertionAgeMs, type SamlSettings } from "./settings.ts";
import { type Attribute, readAttributes, readSubject, type Subject } from "./subject.ts";
import { readTime, requireTime } from "./time.ts";
import {
  childElements,
  childrenNamed,
  isNamed,
  namespaces,
  readAttribute,
  readText,
  type XmlElement,
} from "./xml.ts";

const { assertion: saml } = namespaces;
const bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer";

export interface VerifiedAssertion {
  assertionId: string;
  subject: Subject;
  sessionIndex: string | null;
  /** When the person last proved who they are. */
  authnInstant: number;
  authnContext: string | null;
  /** When the assertion expires: the earliest of all limits. */
  notOnOrAfter: number;
  /** Until then the id of the assertion must be remembered, so that it is not used twice. */
  replayUntil: number;
  attributes: Attribute[];
  /** The request that the assertion answers, as the signed part says. */
  inResponseTo: string | null;
}

const takeOne = (element: XmlElement, name: string): XmlElement => {
  const found = childrenNamed(element, saml, name);
  if (found.length !== 1) throw new SamlError("saml_assertion_malformed");
  return found[0]!;
};

function checkWindow(element: XmlElement, now: number): number {
  const notBefore = readTime(readAttribute(element, "NotBefore"));
  if (notBefore !== undefined && now + clockSkewMs < notBefore) throw new SamlError("saml_not_yet_valid");
  const notOnOrAfter = readTime(readAttribute(element, "NotOnOrAfter"));
  if (notOnOrAfter !== undefined && now - clockSkewMs >= notOnOrAfter) throw new SamlError("saml_expired");
  return notOnOrAfter ?? Number.POSITIVE_INFINITY;
}

/** Returns when the conditions end. */
function checkConditions(assertion: XmlElement, { entityId }: SamlSettings, now: number): number {
  const [conditions, second] = childrenNamed(assertion, saml, "Conditions");
  if (!conditions || second) throw new SamlError("saml_conditions_invalid");
  const known = ["AudienceRestriction", "OneTimeUse", "ProxyRestriction"];
  if (childElements(conditions).some((each) => !known.some((name) => isNamed(each, saml, name))))
    throw new SamlError("saml_conditions_invalid");
  const restrictions = childrenNamed(conditions, saml, "AudienceRestriction");
  const isForUs = (restriction: XmlElement) =>
    childrenNamed(restriction, saml, "Audience").some((audience) => readText(audience) === entityId);
  if (restrictions.length === 0 || !restrictions.every(isForUs))
    throw new SamlError("saml_audience_mismatch", `Configure the audience ${entityId}.`);
  return checkWindow(conditions, now);
}

/** Every bearer confirmation must be addressed to us and valid. Other methods are ignored. */
function checkConfirmations(subject: XmlElement, { acsUrl }: SamlSettings, now: number) {
  const data = childrenNamed(subject, saml, "SubjectConfirmation")
    .filter((confirmation) => readAttribute(confirmation, "Method") === bearer)
    .map((confirmation) => {
      const found = childrenNamed(confirmation, saml, "SubjectConfirmationData");
      if (found.length !== 1) throw new SamlError("saml_confirmation_missing");
      return found[0]!;
    });
  if (data.length === 0) throw new SamlError("saml_confirmation_missing");
  const ends = data.map((each) => {
    if (readAttribute(each, "Recipient") !== acsUrl)
      throw new SamlError("saml_recipient_mismatch", `Configure the ACS URL ${acsUrl}.`);
    requireTime(readAttribute(each, "NotOnOrAfter"));
    return checkWindow(each, now);
  });
  const requests = new Set(data.map((each) => readAttribute(each, "InResponseTo") ?? null));
  if (requests.size !== 1) throw new SamlError("saml_in_response_to_mismatch");
  return { notOnOrAfter: Math.min(...ends), inResponseTo: [...requests][0] ?? null };
}

function readAuthentication(assertion: XmlElement, now: number) {
  const [statement, second] = childrenNamed(assertion, saml, "AuthnStatement");
  if (!statement || second) throw new SamlError("saml_authentication_missing");
  const authnInstant = requireTime(readAttribute(statement, "AuthnInstant"));
  if (authnInstant > now + clockSkewMs) throw new SamlError("saml_not_yet_valid");
  const sessionEnd = readTime(readAttribute(statement, "SessionNotOnOrAfter"));
  if (sessionEnd !== undefined && now - clockSkewMs >= sessionEnd)
    throw new SamlError("saml_session_expired");
  const [context] = childrenNamed(statement, saml, "AuthnContext");
  const [reference] = context ? childrenNamed(context, saml, "AuthnContextClassRef") : [];
  return {
    authnInstant,
    sessionIndex: readAttribute(statement, "SessionIndex") ?? null,
    authnContext: (reference && readText(reference)) ?? null,
  };
}

/** Reads an assertion whose bytes are verified, and refuses it unless it is for us, now. */
export function readAssertion(assertion: XmlElement, settings: SamlSettings, now: number): VerifiedAssertion {
  const assertionId = readAttribute(assertion, "ID");
  if (!assertionId || readAttribute(assertion, "Version") !== "2.0")
    throw new SamlError("saml_assertion_malformed");
  if (readText(takeOne(assertion, "Issuer")) !== settings.identityProvider.entityId)
    throw new SamlError("saml_issuer_mismatch", `Expected ${settings.identityProvider.entityId}.`);
  const issued = requireTime(readAttribute(assertion, "IssueInstant"));
  if (issued > now + clockSkewMs) throw new SamlError("saml_not_yet_valid");
  const subjectElement = takeOne(assertion, "Subject");
  const confirmed = checkConfirmations(subjectElement, settings, now);
  const conditionsEnd = checkConditions(assertion, settings, now);
  if (now - clockSkewMs >= issued + maxAssertionAgeMs) throw new SamlError("saml_too_old");
  const authentication = readAuthentication(assertion, now);
  const attributes = readAttributes(assertion);
  const notOnOrAfter = Math.min(confirmed.notOnOrAfter, conditionsEnd, issued + maxAssertionAgeMs);
  return {
    assertionId,
    subject: readSubject(subjectElement, attributes, settings),
    ...authentication,
    notOnOrAfter,
    replayUntil: notOnOrAfter + clockSkewMs,
    attributes,
    inResponseTo: confirmed.inResponseTo,
  };
}
