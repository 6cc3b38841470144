import type { Caller, CredentialKind } from "../context.ts";
import { credentialRequired, forbidden, reauth, unauthorized, unauthorizedKey } from "../errors.ts";

/**
 * Who may call a route. Every route declares one, and it is checked before anything is read of the
 * request but its headers.
 */
export type Access =
  | { kind: "public" }
  /** A signed-in person; the route is not about an organization. */
  | ({ kind: "user" } & Terms)
  /** A member of the active organization, with the permission if one is named. */
  | ({ kind: "member"; permission?: string } & Terms);

interface Terms {
  /** Which credentials are taken; by default a session or an API key. */
  credentials?: readonly CredentialKind[];
  /** Only within 15 minutes of signing in: for what gives away keys or cannot be undone. */
  fresh?: boolean;
}

export const open: Access = { kind: "public" };
export const signedIn = (terms: Terms = {}) => ({ kind: "user", ...terms }) as const;
export const member = (terms: Terms = {}) => ({ kind: "member", ...terms }) as const;

const credentialNames: Partial<Record<CredentialKind, string>> = {
  session: "a session",
  key: "an API key",
  mcp: "an MCP token",
  runner: "a runner token",
  run: "a run credential",
};

/** Describes in words who may call a route, for the API reference. */
export function describeAccess(access: Access): string {
  if (access.kind === "public") return "public, no credential is needed.";
  const kinds = (access.credentials ?? ordinary).map((kind) => credentialNames[kind] ?? `a ${kind} token`);
  const credentials = new Intl.ListFormat("en", { type: "disjunction" }).format(kinds);
  const who =
    access.kind === "user"
      ? "."
      : access.permission
        ? ` of a member with the permission \`${access.permission}\`.`
        : " of a member of the organization.";
  const fresh = access.fresh ? " A session must have been signed in within the last 15 minutes." : "";
  return `${credentials}${who}${fresh}`;
}

const ordinary: readonly CredentialKind[] = ["session", "key"];
const freshForMs = 15 * 60_000;

/** Throws the refusal that the caller deserves, the most basic one first. */
export function checkAccess(access: Access, caller: Caller | undefined, now: number): void {
  if (access.kind === "public") return;
  const credentials = access.credentials ?? ordinary;
  if (!caller) throw credentials.includes("key") ? credentialRequired() : unauthorized();
  if (!credentials.includes(caller.credential)) {
    if (caller.credential === "key" && credentials.includes("session")) {
      throw forbidden("session_required", "This needs a signed-in session; an API key is not enough.");
    }
    const sentence = "This kind of credential is not accepted here.";
    throw caller.credential === "key" ? unauthorizedKey(sentence) : unauthorized("invalid_token", sentence);
  }
  if (access.kind === "member") {
    if (!caller.member) {
      throw forbidden(
        "no_active_organization",
        "Choose an organization you belong to: send x-organization-id, or switch with POST /v1/me/active-organization.",
      );
    }
    if (access.permission && !caller.member.permissions.has(access.permission)) {
      throw forbidden(
        "missing_permission",
        `This needs the permission ${access.permission}. Ask an owner or admin.`,
      );
    }
    if (caller.credential === "session") checkSessionRules(caller, caller.member, now);
  }
  // A key has no moment of sign-in, so it is never fresh.
  if (access.fresh && !(caller.signedInAt !== undefined && now - caller.signedInAt <= freshForMs)) {
    throw reauth("session_too_old", "Sign in again to do this: it needs a session of the last 15 minutes.");
  }
}

function checkSessionRules(
  caller: Caller,
  { sessionMaxAgeMinutes, requireSso }: NonNullable<Caller["member"]>,
  now: number,
) {
  if (requireSso && caller.signedInBy !== "sso") {
    throw reauth("sso_required", "This organization requires single sign-on. Sign in again through it.");
  }
  if (sessionMaxAgeMinutes !== null && now - (caller.signedInAt ?? 0) > sessionMaxAgeMinutes * 60_000) {
    throw reauth(
      "session_too_old",
      `This organization asks to sign in again every ${sessionMaxAgeMinutes} minutes.`,
    );
  }
}
