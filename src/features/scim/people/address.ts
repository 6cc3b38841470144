import type { UserResource } from "../resources/index.ts";

/** An address that an account can have. */
const pattern = /^[^\s@\p{Cc}"<>(),;:\\[\]]{1,64}@[a-z0-9.-]{1,253}$/u;

function readAddress(text: string | undefined): string | undefined {
  const address = text?.trim().toLowerCase();
  return address !== undefined && pattern.test(address) ? address : undefined;
}

/** The e-mail address of a user: the primary one, else that of work, else the first, else the user name. */
export function findAddress({ userName, emails = [] }: UserResource): string | undefined {
  const chosen =
    emails.find(({ primary }) => primary) ??
    emails.find(({ type }) => type?.toLowerCase() === "work") ??
    emails[0];
  return readAddress(chosen?.value) ?? readAddress(userName);
}

export const findDomain = (address: string) => address.slice(address.lastIndexOf("@") + 1);

const maxNameLength = 120;

/** The name that other members see. */
export function findName({ userName, displayName, name }: UserResource): string {
  const parts = [name?.givenName, name?.familyName].filter(Boolean).join(" ");
  const text = displayName ?? name?.formatted ?? (parts || userName);
  return (
    text
      .replace(/\p{Cc}+/gu, " ")
      .trim()
      .slice(0, maxNameLength)
      // Half of a character is not stored, so the name would differ each time.
      .replace(/\p{Cs}$/u, "") || "Member"
  );
}
