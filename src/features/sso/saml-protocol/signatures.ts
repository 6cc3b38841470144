import { type KeyObject, sign, verify, X509Certificate } from "node:crypto";
import {
  ExclusiveCanonicalization,
  type HashAlgorithm,
  type SignatureAlgorithm,
  SignedXml,
} from "xml-crypto";
import { hashAlgorithms, signatureAlgorithms } from "./algorithms.ts";
import { SamlError } from "./errors.ts";
import {
  childElements,
  childrenNamed,
  isNamed,
  namespaces,
  parseXml,
  readAttribute,
  readText,
  type XmlDocument,
  type XmlElement,
} from "./xml.ts";

const exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#";
const enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
const dsig = namespaces.signature;

/** The public keys of the identity provider. Keys that are too weak are refused, not skipped. */
export function readKeys(certificates: readonly string[]): KeyObject[] {
  return certificates.map((pem) => {
    let key: KeyObject;
    try {
      key = new X509Certificate(pem).publicKey;
    } catch {
      throw new SamlError("saml_certificate_invalid");
    }
    const bits = key.asymmetricKeyDetails?.modulusLength;
    if (key.asymmetricKeyType === "rsa" && (bits ?? 0) < 2048) throw new SamlError("saml_key_weak");
    if (key.asymmetricKeyType !== "rsa" && key.asymmetricKeyType !== "ec")
      throw new SamlError("saml_certificate_invalid");
    return key;
  });
}

/** Ids are unique in the whole document and are never in a namespace, so a reference means one element. */
export function checkIds({ elements }: XmlDocument): void {
  const seen = new Set<string>();
  for (const element of elements)
    for (const { localName, namespaceURI, value } of Array.from(element.attributes)) {
      if (localName.toLowerCase() !== "id") continue;
      if (namespaceURI || seen.has(value) || !/^[A-Za-z_][\w.-]{0,255}$/.test(value))
        throw new SamlError("saml_id_invalid");
      seen.add(value);
    }
}

/** Every signature of the document is a direct child of one of `signed`, at most one in each. */
export function checkSignaturePlaces({ elements }: XmlDocument, signed: XmlElement[]): void {
  const parents = new Set<unknown>();
  for (const element of elements) {
    if (element.localName !== "Signature") continue;
    const parent = signed.find((each) => each === element.parentNode);
    if (!isNamed(element, dsig, "Signature") || !parent || parents.has(parent))
      throw new SamlError("saml_signature_misplaced");
    parents.add(parent);
  }
}

const hasOneText = (element: XmlElement) =>
  element.childNodes.length === 1 && readText(element) !== undefined;

/** Refuses all that is not `children`, in this order; names that end with "?" may be absent. */
function takeChildren(element: XmlElement, names: string[]): (XmlElement | undefined)[] {
  const rest = childElements(element);
  const taken = names.map((name) => {
    const [head] = rest;
    if (head && isNamed(head, dsig, name.replace("?", ""))) return rest.shift();
    if (name.endsWith("?")) return undefined;
    throw new SamlError("saml_signature_malformed");
  });
  if (rest.length > 0) throw new SamlError("saml_signature_malformed");
  return taken;
}

const requireAlgorithm = (element: XmlElement, allowed: readonly string[]) => {
  if (!allowed.includes(readAttribute(element, "Algorithm") ?? ""))
    throw new SamlError("saml_algorithm_forbidden");
};

/**
 * Accepts one shape of signature only: one reference to the parent, enveloped, exclusive canonicalization. The library
 * searches for its parts by local names, so a part in another place could be mistaken for the right one.
 */
function checkShape(signature: XmlElement, parentId: string): void {
  const [signedInfo, signatureValue] = takeChildren(signature, ["SignedInfo", "SignatureValue", "KeyInfo?"]);
  const [canonicalization, method, reference] = takeChildren(signedInfo!, [
    "CanonicalizationMethod",
    "SignatureMethod",
    "Reference",
  ]);
  const [transforms, digestMethod, digestValue] = takeChildren(reference!, [
    "Transforms",
    "DigestMethod",
    "DigestValue",
  ]);
  requireAlgorithm(canonicalization!, [exclusive]);
  requireAlgorithm(method!, Object.keys(signatureAlgorithms));
  requireAlgorithm(digestMethod!, Object.keys(hashAlgorithms));
  const steps = childElements(transforms!);
  if (steps.length !== 2 || steps.some((step) => !isNamed(step, dsig, "Transform")))
    throw new SamlError("saml_signature_malformed");
  requireAlgorithm(steps[0]!, [enveloped]);
  requireAlgorithm(steps[1]!, [exclusive]);
  // The only parameter is the list of prefixes that the canonicalization treats inclusively. Some signers repeat it.
  for (const element of [method!, digestMethod!])
    if (childElements(element).length > 0) throw new SamlError("saml_signature_malformed");
  for (const element of [canonicalization!, ...steps])
    if (childElements(element).some((each) => each.localName !== "InclusiveNamespaces"))
      throw new SamlError("saml_signature_malformed");
  if (!hasOneText(signatureValue!) || !hasOneText(digestValue!))
    throw new SamlError("saml_signature_malformed");
  if (readAttribute(reference!, "URI") !== `#${parentId}`) throw new SamlError("saml_signature_misplaced");
}

const toSignatureClass = (name: string): (new () => SignatureAlgorithm) => {
  const { hash, keyType, options } = signatureAlgorithms[name]!;
  return class {
    getAlgorithmName = () => name;
    getSignature = ((text: string, key: KeyObject) =>
      sign(hash, Buffer.from(text), { key, ...options }).toString(
        "base64",
      )) as unknown as SignatureAlgorithm["getSignature"];
    verifySignature = ((text: string, key: KeyObject, value: string) =>
      key.asymmetricKeyType === keyType &&
      verify(
        hash,
        Buffer.from(text),
        { key, ...options },
        Buffer.from(value, "base64"),
      )) as unknown as SignatureAlgorithm["verifySignature"];
  };
};

const allowedSignatures = Object.fromEntries(
  Object.keys(signatureAlgorithms).map((name) => [name, toSignatureClass(name)]),
);
const allowedHashes = Object.fromEntries(
  Object.entries(hashAlgorithms).map(([name, getHash]) => [
    name,
    class implements HashAlgorithm {
      getAlgorithmName = () => name;
      getHash = getHash;
    },
  ]),
);

/** The library with nothing but the allowed algorithms. Keys inside the document are not used. */
function createVerifier(key: KeyObject): SignedXml {
  const verifier = new SignedXml({ publicCert: key, getCertFromKeyInfo: () => null });
  const { [enveloped]: removeSignature } = verifier.CanonicalizationAlgorithms;
  verifier.CanonicalizationAlgorithms = {
    [enveloped]: removeSignature!,
    [exclusive]: ExclusiveCanonicalization,
  };
  verifier.HashAlgorithms = allowedHashes;
  verifier.SignatureAlgorithms = allowedSignatures;
  return verifier;
}

/**
 * Verifies the signature of `element`, which is in `document`. Returns the bytes that the signature covers, parsed again:
 * only they are trusted. Returns undefined if the element has no signature.
 */
export function verifySignature(
  document: XmlDocument,
  element: XmlElement,
  keys: readonly KeyObject[],
): XmlDocument | undefined {
  const [signature] = childrenNamed(element, dsig, "Signature");
  if (!signature) return undefined;
  const id = readAttribute(element, "ID");
  if (!id) throw new SamlError("saml_id_invalid");
  checkShape(signature, id);
  const key = findKey(signature, keys);
  if (!key) throw new SamlError("saml_signature_key_unknown");
  const verified = parseXml(readSignedContent(document.text, signature, key));
  const isSame =
    verified.root.localName === element.localName &&
    verified.root.namespaceURI === element.namespaceURI &&
    readAttribute(verified.root, "ID") === id;
  if (!isSame) throw new SamlError("saml_signature_misplaced");
  return verified;
}

/**
 * Finds the key that signed. This is done before the content is canonicalized: without a key of the provider, nobody
 * can make the service spend that time.
 */
function findKey(signature: XmlElement, keys: readonly KeyObject[]): KeyObject | undefined {
  const [signedInfo] = childrenNamed(signature, dsig, "SignedInfo");
  const [method] = childrenNamed(signedInfo!, dsig, "SignatureMethod");
  const [value] = childrenNamed(signature, dsig, "SignatureValue");
  const text = new ExclusiveCanonicalization().process(signedInfo as never, {}).toString();
  const algorithm = new allowedSignatures[readAttribute(method!, "Algorithm")!]!();
  return keys.find((key) => {
    try {
      return algorithm.verifySignature(text, key, readText(value!)!);
    } catch {
      return false;
    }
  });
}

function readSignedContent(text: string, signature: XmlElement, key: KeyObject): string {
  const verifier = createVerifier(key);
  let isUnchanged: boolean;
  try {
    verifier.loadSignature(signature as unknown as string);
    isUnchanged = verifier.checkSignature(text);
  } catch {
    throw new SamlError("saml_signature_malformed");
  }
  if (!isUnchanged) throw new SamlError("saml_signature_digest_mismatch");
  const references = verifier.getSignedReferences();
  if (references.length !== 1 || !references[0]) throw new SamlError("saml_signature_malformed");
  return references[0];
}
