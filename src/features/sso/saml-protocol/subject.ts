import { createHash } from "node:crypto";
import { SamlError } from "./errors.ts";
import type { SamlSettings } from "./settings.ts";
import { childrenNamed, namespaces, readAttribute, readText, type XmlElement } from "./xml.ts";

const { assertion: saml } = namespaces;
const formats = "urn:oasis:names:tc:SAML:2.0:nameid-format:";
const unspecified = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified";

export interface Attribute {
  name: string;
  friendlyName: string | null;
  values: string[];
}

export interface Subject {
  /** Identifies the person at this connector. Two people never have the same key, and it does not change. */
  key: string;
  nameId: string | null;
  format: string;
  nameQualifier: string | null;
  spNameQualifier: string | null;
}

const isText = (value: string, maximum: number) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  value.length <= maximum && !/[\u0000-\u001f\u007f-\u009f]/.test(value);

/** Reads the attributes. Values that contain elements, such as an embedded NameID, count as their text. */
export function readAttributes(assertion: XmlElement): Attribute[] {
  const attributes = new Map<string, Attribute>();
  for (const statement of childrenNamed(assertion, saml, "AttributeStatement"))
    for (const element of childrenNamed(statement, saml, "Attribute")) {
      const name = readAttribute(element, "Name");
      if (!name) throw new SamlError("saml_assertion_malformed");
      const values = childrenNamed(element, saml, "AttributeValue")
        .map((value) => value.textContent?.trim() ?? "")
        .filter((value) => value !== "");
      const known = attributes.get(name);
      if (known) known.values.push(...values);
      else
        attributes.set(name, { name, friendlyName: readAttribute(element, "FriendlyName") ?? null, values });
    }
  return [...attributes.values()];
}

/** Finds an attribute by its name; without one, by its friendly name, if only one attribute has it. */
export function findAttribute(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const friendly = attributes.filter((each) => each.friendlyName === name);
  return attributes.find((each) => each.name === name) ?? (friendly.length === 1 ? friendly[0] : undefined);
}

/** Keys are indexed, so a long one is replaced by its hash. */
const createKey = (parts: readonly string[]): string => {
  const key = JSON.stringify(parts);
  return key.length <= 600 ? key : JSON.stringify(["sha256", createHash("sha256").update(key).digest("hex")]);
};

/** Reads who signed in. The key includes the qualifiers, since the same NameID may mean two people in two of them. */
export function readSubject(
  subject: XmlElement,
  attributes: readonly Attribute[],
  { subjectAttribute, entityId, identityProvider }: SamlSettings,
): Subject {
  const [element, second] = childrenNamed(subject, saml, "NameID");
  const nameId = element ? readText(element) : undefined;
  if (second || (nameId !== undefined && !isText(nameId, 1024))) throw new SamlError("saml_subject_missing");
  const format = (element && readAttribute(element, "Format")) || unspecified;
  const nameQualifier = (element && readAttribute(element, "NameQualifier")) || null;
  const spNameQualifier = (element && readAttribute(element, "SPNameQualifier")) || null;
  const described = { nameId: nameId ?? null, format, nameQualifier, spNameQualifier };
  if (subjectAttribute) {
    const values = findAttribute(attributes, subjectAttribute)?.values ?? [];
    const [value] = values;
    if (values.length !== 1 || !value || !isText(value, 1024)) throw new SamlError("saml_subject_attribute");
    return { ...described, key: createKey(["attribute", subjectAttribute, value]) };
  }
  if (nameId === undefined) throw new SamlError("saml_subject_missing");
  if (format === `${formats}transient`) throw new SamlError("saml_subject_transient");
  // Without a qualifier, SAML means the entity ids of both sides. Ours changes with the address of this instance, so it
  // must not be part of the key.
  const qualifiers = [
    nameQualifier === identityProvider.entityId ? "" : (nameQualifier ?? ""),
    spNameQualifier === entityId ? "" : (spNameQualifier ?? ""),
  ];
  return { ...described, key: createKey(["nameid", format, ...qualifiers, nameId]) };
}
