import { createRequire } from "node:module";
import { SamlError } from "./errors.ts";

/** The part of the DOM that is used here. The types of the library would add all browser types to the program. */
export interface XmlNode {
  readonly nodeType: number;
  readonly parentNode: XmlNode | null;
  readonly childNodes: ArrayLike<XmlNode>;
  readonly textContent: string | null;
}
export interface XmlAttribute {
  readonly name: string;
  readonly localName: string;
  readonly prefix: string | null;
  readonly namespaceURI: string | null | undefined;
  readonly value: string;
}
export interface XmlElement extends XmlNode {
  readonly localName: string;
  readonly prefix: string | null;
  readonly namespaceURI: string | null | undefined;
  readonly attributes: ArrayLike<XmlAttribute>;
}

interface Parser {
  parseFromString(text: string, type: string): XmlNode;
}
const { DOMParser } = createRequire(import.meta.url)("@xmldom/xmldom") as {
  DOMParser: new (options: { errorHandler: (level: string, message: unknown) => void }) => Parser;
};

export const namespaces = {
  protocol: "urn:oasis:names:tc:SAML:2.0:protocol",
  assertion: "urn:oasis:names:tc:SAML:2.0:assertion",
  metadata: "urn:oasis:names:tc:SAML:2.0:metadata",
  signature: "http://www.w3.org/2000/09/xmldsig#",
  encryption: "http://www.w3.org/2001/04/xmlenc#",
  encryption11: "http://www.w3.org/2009/xmlenc11#",
} as const;
type Namespace = (typeof namespaces)[keyof typeof namespaces];

/**
 * The parser takes quadratic time for deep nesting, for many attributes of an element and for many comments. For each
 * element that declares a namespace, it copies those in scope. Metadata of one provider has some hundred elements.
 */
const limits = {
  elements: 5_000,
  depth: 50,
  attributes: 10_000,
  attributesOfAnElement: 100,
  namespacesInScope: 100,
  commentsAndSections: 500,
};
const reservedNamespaces = ["http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"];

const isElement = (node: XmlNode): node is XmlElement => node.nodeType === 1;

export interface XmlDocument {
  /** The text that was parsed: without declaration, line ends normalized. Signatures are checked on this text. */
  text: string;
  root: XmlElement;
  /** All elements, in document order. */
  elements: XmlElement[];
}

/** Decodes bytes as UTF-8 and refuses everything else. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new SamlError("saml_xml_invalid");
  }
}

/**
 * Parses a document strictly: well-formed, no DOCTYPE, no entity declaration, no processing instruction. Comments and
 * CDATA sections are accepted only in metadata, where nothing is signed.
 */
export function parseXml(source: string, { comments = false } = {}): XmlDocument {
  const text = source
    .replace(/^\s*<\?xml\s[^<>?]*\?>/, (declaration) => {
      if (/encoding\s*=\s*["'](?!utf-8["'])/i.test(declaration)) throw new SamlError("saml_xml_invalid");
      return "";
    })
    .replace(/\r\n?/g, "\n")
    .trim();
  // A "<" is written as an entity everywhere else, so these searches find exactly the markup.
  if (/<\?/.test(text) || (comments ? /<!(?!--|\[CDATA\[)/ : /<!/).test(text))
    throw new SamlError("saml_markup_forbidden");
  checkTags(comments ? removeSections(text) : text);
  const elements: XmlElement[] = [];
  const root = parseStrictly(text);
  collectElements(root, elements);
  for (const element of elements) checkNamespaces(element);
  return { text, root, elements };
}

function parseStrictly(text: string): XmlElement {
  let document: XmlNode | undefined;
  try {
    document = new DOMParser({
      errorHandler: () => {
        throw new Error("not well-formed");
      },
    }).parseFromString(text, "text/xml");
  } catch {
    throw new SamlError("saml_xml_invalid");
  }
  const nodes = Array.from(document?.childNodes ?? []);
  const roots = nodes.filter(isElement);
  const rest = nodes.filter((node) => !isElement(node) && node.nodeType !== 8);
  if (roots.length !== 1 || rest.some((node) => node.nodeType !== 3 || node.textContent?.trim()))
    throw new SamlError("saml_xml_invalid");
  return roots[0]!;
}

/** Removes comments and CDATA sections, in linear time. */
function removeSections(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let start = text.indexOf("<!"); start !== -1; start = text.indexOf("<!", from)) {
    const close = text.startsWith("<!--", start) ? "-->" : "]]>";
    const end = text.indexOf(close, start + 4);
    if (end === -1) throw new SamlError("saml_xml_invalid");
    if (kept.length === limits.commentsAndSections) throw new SamlError("saml_too_large");
    kept.push(text.slice(from, start));
    from = end + close.length;
  }
  return [...kept, text.slice(from)].join("");
}

/** Counts tags before the document is parsed, in linear time. */
function checkTags(text: string): void {
  /** How many namespaces each open element declares. */
  const declared: number[] = [];
  let inScope = 0;
  let elements = 0;
  let allAttributes = 0;
  let start = text.indexOf("<");
  while (start !== -1) {
    const { end, attributes } = findTagEnd(text, start);
    if (text[start + 1] === "/") inScope -= declared.pop() ?? 0;
    else {
      const own = attributes === 0 ? 0 : text.slice(start, end).split("xmlns").length - 1;
      elements += 1;
      allAttributes += attributes;
      if (inScope + own > limits.namespacesInScope) throw new SamlError("saml_too_large");
      if (text[end - 1] !== "/") {
        declared.push(own);
        inScope += own;
      }
    }
    if (
      declared.length > limits.depth ||
      elements > limits.elements ||
      allAttributes > limits.attributes ||
      attributes > limits.attributesOfAnElement
    )
      throw new SamlError("saml_too_large");
    start = text.indexOf("<", end);
  }
}

function findTagEnd(text: string, start: number): { end: number; attributes: number } {
  let quote = "";
  let attributes = 0;
  for (let end = start + 1; end < text.length; end++) {
    const character = text[end]!;
    if (character === "<") break;
    if (quote) {
      if (character === quote) quote = "";
    } else if (character === '"' || character === "'") {
      quote = character;
      attributes += 1;
    } else if (character === ">") return { end, attributes };
  }
  throw new SamlError("saml_xml_invalid");
}

function collectElements(element: XmlElement, into: XmlElement[]): void {
  into.push(element);
  for (const child of Array.from(element.childNodes)) if (isElement(child)) collectElements(child, into);
}

/** The parser accepts prefixes that are not declared, and declarations of reserved prefixes. */
function checkNamespaces(element: XmlElement): void {
  if (element.prefix && !element.namespaceURI) throw new SamlError("saml_xml_invalid");
  const names = new Set<string>();
  for (const attribute of Array.from(element.attributes)) {
    if (attribute.prefix && !attribute.namespaceURI) throw new SamlError("saml_xml_invalid");
    const name = `${attribute.namespaceURI ?? ""} ${attribute.localName}`;
    if (names.has(name)) throw new SamlError("saml_xml_invalid");
    names.add(name);
    if (/^xmlns(:|$)/.test(attribute.name)) {
      const reserved = attribute.name === "xmlns:xml" || attribute.name === "xmlns:xmlns";
      const unbound = attribute.prefix && attribute.value === "";
      if (reserved || unbound || reservedNamespaces.includes(attribute.value))
        throw new SamlError("saml_xml_invalid");
    }
  }
}

export const isNamed = (element: XmlElement, namespace: Namespace, name: string): boolean =>
  element.localName === name && element.namespaceURI === namespace;

export const childElements = (element: XmlElement): XmlElement[] =>
  Array.from(element.childNodes).filter(isElement);

export const childrenNamed = (element: XmlElement, namespace: Namespace, name: string): XmlElement[] =>
  childElements(element).filter((child) => isNamed(child, namespace, name));

/** The value of an attribute without a namespace. SAML has no other attributes. */
export const readAttribute = (element: XmlElement, name: string): string | undefined =>
  Array.from(element.attributes).find((each) => each.name === name && !each.namespaceURI)?.value;

/** The text of an element that has only text, without surrounding white space. */
export function readText(element: XmlElement): string | undefined {
  if (Array.from(element.childNodes).some((node) => node.nodeType !== 3)) return undefined;
  return element.textContent?.trim() || undefined;
}

export const escapeXml = (value: string): string =>
  value.replace(/[&<>"'\r\n\t]/g, (character) => `&#${character.charCodeAt(0)};`);
