import type { SamlConnectorSettings } from "../connectors/index.ts";
import { type Proof, readEmail, readGroups } from "../people/index.ts";
import { type Attribute, findAttribute, type VerifiedAssertion } from "../saml-protocol/index.ts";

const emailFormat = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const claims = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims";

/** The names that the common identity providers use, in this order. */
const usualNames = {
  email: [
    "email",
    "mail",
    "emailAddress",
    "Email",
    `${claims}/emailaddress`,
    "urn:oid:0.9.2342.19200300.100.1.3",
  ],
  name: [
    "name",
    "displayName",
    "http://schemas.microsoft.com/identity/claims/displayname",
    "urn:oid:2.16.840.1.113730.3.1.241",
    "cn",
    "urn:oid:2.5.4.3",
  ],
  groups: [
    "groups",
    "memberOf",
    "http://schemas.microsoft.com/ws/2008/06/identity/claims/groups",
    "http://schemas.xmlsoap.org/claims/Group",
  ],
  givenName: ["givenName", "firstName", `${claims}/givenname`, "urn:oid:2.5.4.42"],
  familyName: ["surname", "sn", "lastName", `${claims}/surname`, "urn:oid:2.5.4.4"],
};
/** Entra ID sends this instead of the groups of a person who has too many. */
const groupsElsewhere = "http://schemas.microsoft.com/claims/groups.link";

/** Reads who the person is from a verified assertion. */
export function toProof(
  { subject, attributes, authnInstant, authnContext }: VerifiedAssertion,
  { attributes: names }: Pick<SamlConnectorSettings, "attributes">,
): Proof {
  const read = (name: string | null, usual: readonly string[]): string[] => {
    const found = name === null ? findFirst(attributes, usual) : findAttribute(attributes, name);
    return found?.values ?? [];
  };
  const [email] = read(names.email, usualNames.email);
  const [name] = read(names.name, usualNames.name);
  const fullName = [read(null, usualNames.givenName)[0], read(null, usualNames.familyName)[0]]
    .filter(Boolean)
    .join(" ");
  const groups = read(names.groups, usualNames.groups);
  const areElsewhere = groups.length === 0 && findAttribute(attributes, groupsElsewhere) !== undefined;
  return {
    identity: {
      subject: subject.key,
      email: readEmail(email ?? (subject.format === emailFormat ? subject.nameId : undefined)),
      // SAML does not say. The domain of the address must be verified for the organization in any case.
      emailVerified: undefined,
      name: name ?? (fullName || undefined),
      groups: areElsewhere ? "unknown" : readGroups(groups),
      authenticatedAt: authnInstant,
    },
    claims: {
      NameID: subject.nameId,
      "NameID format": subject.format,
      "Authentication context": authnContext,
      ...Object.fromEntries(
        attributes.map(({ name, values }) => [name, values.length === 1 ? values[0] : values]),
      ),
    },
  };
}

const findFirst = (attributes: readonly Attribute[], names: readonly string[]): Attribute | undefined => {
  for (const name of names) {
    const found = findAttribute(attributes, name);
    if (found) return found;
  }
  return undefined;
};
