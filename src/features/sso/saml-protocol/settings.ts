export type Binding = "redirect" | "post";

/** What is known of the identity provider, from its metadata. */
export interface IdentityProvider {
  entityId: string;
  endpoints: { binding: Binding; url: string }[];
  /** Certificates in PEM. During a roll-over there are several; each of them may sign. */
  certificates: string[];
  wantsSignedRequests: boolean;
}

/** Our key pair of one connector. It signs requests and decrypts assertions. */
export interface ServiceProviderKeys {
  privateKey: string;
  certificate: string;
}

export interface SamlSettings {
  /** Our entity id for this connector. */
  entityId: string;
  acsUrl: string;
  keys?: ServiceProviderKeys;
  /** Earlier keys, for assertions that were encrypted before the identity provider learned of the new certificate. */
  previousKeys?: ServiceProviderKeys[];
  identityProvider: IdentityProvider;
  /** What must be signed. `either` accepts a signed response or a signed assertion. */
  requireSigned?: "either" | "assertion" | "response" | "both";
  /** The attribute that identifies a person, if it is not the NameID. */
  subjectAttribute?: string;
  /** The format of NameID that requests ask for. */
  nameIdFormat?: string;
}

/** Clocks of servers differ by seconds; 90 s also covers a clock that is set by hand. */
export const clockSkewMs = 90_000;
/** An assertion is used at once. A longer validity at the identity provider does not lengthen this. */
export const maxAssertionAgeMs = 10 * 60_000;
/** The largest form field. A response with 1,000 groups has about 150 kB. */
export const maxResponseLength = 512 * 1024;
