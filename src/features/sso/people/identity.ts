/** A person as a provider describes them, after the proof was verified. */
export interface Identity {
  /** The provider's own id, which stays the same when name and address change. */
  subject: string;
  email: string | undefined;
  /** Undefined when the provider does not say. */
  emailVerified: boolean | undefined;
  name: string | undefined;
  /** `unknown`: the provider did not send them although the person may have some. */
  groups: readonly string[] | "unknown";
  /** When the person signed in at the provider, in milliseconds since 1970. Undefined when it does not say. */
  authenticatedAt: number | undefined;
}

/** What a provider said about a person: the identity, and all claims for a person who tests the connector. */
export interface Proof {
  identity: Identity;
  claims: Record<string, unknown>;
}

const maxGroups = 2_000;

/** Removes what a column cannot store, also half of a character at the end. */
const clean = (text: string, max: number) =>
  text
    .replace(/\p{Cc}/gu, " ")
    .toWellFormed()
    .trim()
    .slice(0, max)
    .replace(/\p{Cs}$/u, "");

/** Undefined when the provider sends no name. */
export const readName = ({ name }: Pick<Identity, "name">): string | undefined =>
  clean(name ?? "", 120) || undefined;

/** The name of a new account. */
export const readPersonName = (identity: Pick<Identity, "name">, email: string): string =>
  readName(identity) || clean(email.slice(0, email.lastIndexOf("@")), 120) || "Member";

/** Accepts a list of texts, or one text. Anything else is no group. */
export function readGroups(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((one): one is string => typeof one === "string" && one !== "").slice(0, maxGroups);
}

/** Undefined when the text is not an address that an account could have. */
export function readEmail(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > 320) return undefined;
  const email = value.trim().toLowerCase();
  return /^[^\s@\p{Cc}"<>(),;:\\[\]]{1,64}@[a-z0-9.-]+\.[a-z0-9-]+$/u.test(email) ? email : undefined;
}
