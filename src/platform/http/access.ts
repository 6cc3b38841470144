import { type Caller, type CredentialKind, findRights, type OrganizationRights } from "../context.ts";
import {
  credentialRequired,
  forbidden,
  organizationSuspended,
  reauth,
  unauthorized,
  unauthorizedKey,
} from "../errors.ts";

/**
 * Who may call a route. Every route declares one, and it is checked before anything is read of the
 * request but its headers.
 */
export type Access =
  | { kind: "public" }
  /** A signed-in person; the route is not about an organization. */
  | ({ kind: "user" } & AccessOptions)
  /**
   * A member of the active organization, with the permission if one is named. With `machines`, also a machine of an
   * organization: machines have no role, so the service decides what they may do.
   */
  | ({ kind: "member"; permission?: string; machines?: true } & AccessOptions)
  /** A machine of an organization, with the permission if one is named. */
  | { kind: "machine"; permission?: string; credentials: readonly CredentialKind[]; fresh?: never }
  /** A person who administers the instance. */
  | { kind: "operator"; credentials: readonly CredentialKind[]; fresh?: boolean };

interface AccessOptions {
  /** Which credentials are taken; by default a session or an API key. */
  credentials?: readonly CredentialKind[];
  /** Only within 15 minutes of signing in: for what gives away keys or cannot be undone. */
  fresh?: boolean;
  /**
   * The route governs the account of the person, beyond one organization. Sessions that an organization's single sign-on
   * started are refused: the provider of one organization must not open another.
   */
  account?: true;
}

export const open: Access = { kind: "public" };
export const signedIn = (terms: AccessOptions = {}) => ({ kind: "user", ...terms }) as const;
export const member = (terms: AccessOptions = {}) => ({ kind: "member", ...terms }) as const;
export const machine = (terms: { credentials: readonly CredentialKind[]; permission?: string }) =>
  ({ kind: "machine", ...terms }) as const;
/** Sessions only: a key that leaks must not reach the whole instance. */
export const operator = (terms: Pick<AccessOptions, "fresh"> = {}) =>
  ({ kind: "operator", credentials: ["session"], ...terms }) as const;

const credentialNames: Partial<Record<CredentialKind, string>> = {
  session: "a session",
  key: "an API key",
  mcp: "an MCP token",
  mcp_client: "the access token of an MCP client",
  runner: "a runner token",
  run: "a run credential",
  worker: "a worker token",
  worker_registration: "a worker registration token",
  scim: "a SCIM token",
};

/** Describes in words who may call a route, for the API reference. */
export function describeAccess(access: Access): string {
  if (access.kind === "public") return "public, no credential is needed.";
  const kinds = (access.credentials ?? ordinary).map((kind) => credentialNames[kind] ?? `a ${kind} token`);
  const credentials = new Intl.ListFormat("en", { type: "disjunction" }).format(kinds);
  const who = describePrincipal(access);
  const account =
    access.kind === "user" && access.account ? " Not a session that single sign-on started." : "";
  const fresh = access.fresh ? " A session must have been signed in within the last 15 minutes." : "";
  return `${credentials}${who}${account}${fresh}`;
}

function describePrincipal(access: Exclude<Access, { kind: "public" }>): string {
  if (access.kind === "user") return ".";
  if (access.kind === "operator") return " of a person who administers the instance.";
  const permission = access.permission && ` with the permission \`${access.permission}\``;
  if (access.kind === "machine") return `${permission ?? ""}.`;
  const machines = access.machines ? ", or of a machine of the organization" : "";
  return permission
    ? ` of a member${permission}${machines}.`
    : ` of a member of the organization${machines}.`;
}

const ordinary: readonly CredentialKind[] = ["session", "key"];
const freshForMs = 15 * 60_000;

/** A caller whose credential a route takes, and the result of the check for operators where a route needs it. */
export type CheckedCaller = Caller & { isOperator?: boolean };

/** Throws the refusal that the caller deserves, the most basic one first. */
export function checkAccess(access: Access, caller: CheckedCaller | undefined, now: number): void {
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
  refuseSuspended(access, caller);
  checkPrincipal(access, caller);
  if (access.kind === "user" && access.account) refuseBound(caller);
  if (access.kind === "member") caller.checkRules?.(now);
  // A key has no moment of sign-in, so it is never fresh.
  if (access.fresh && !(caller.signedInAt !== undefined && now - caller.signedInAt <= freshForMs)) {
    throw reauth("session_too_old", "Sign in again to do this: it needs a session of the last 15 minutes.");
  }
}

/** Refuses a session that acts in one organization only. */
export function refuseBound({ onlyOrgId }: Caller): void {
  if (onlyOrgId === undefined) return;
  throw forbidden(
    "sso_session",
    "This session was started by an organization's single sign-on and acts in that organization only. Sign in with your password to do this.",
  );
}

/**
 * Refuses a caller in a suspended organization. A session that is not bound to the organization still speaks for its
 * person, who can sign out and use other organizations.
 */
function refuseSuspended({ kind }: Access, caller: Caller): void {
  if (!findRights(caller)?.isSuspended) return;
  const isAboutPerson = kind === "user" || kind === "operator";
  if (isAboutPerson && caller.credential === "session" && caller.onlyOrgId === undefined) return;
  throw organizationSuspended();
}

function checkPrincipal(access: Exclude<Access, { kind: "public" }>, caller: CheckedCaller): void {
  if (access.kind === "machine") {
    if (caller.principal !== "machine")
      throw forbidden("machine_required", "Only a machine of the organization may do this, not a person.");
    checkPermission(access.permission, caller.machine);
    return;
  }
  if (caller.principal === "machine" && access.kind === "member" && access.machines) return;
  if (caller.principal === "machine")
    throw forbidden(
      "person_required",
      "This needs the credential of a person; that of a machine is not enough.",
    );
  // A tenant's provider decides who has which address in its sessions, so they never administer the instance.
  if (access.kind === "operator" && (caller.isOperator !== true || caller.onlyOrgId !== undefined))
    throw forbidden(
      "operator_required",
      "Only people who administer this instance may do this. ADMIN_EMAILS names them.",
    );
  if (access.kind === "member") {
    if (caller.principal !== "member") {
      throw forbidden(
        "no_active_organization",
        "Choose an organization you belong to: send x-organization-id, or switch with POST /v1/me/active-organization.",
      );
    }
    checkPermission(access.permission, caller.member);
  }
}

function checkPermission(permission: string | undefined, { permissions }: OrganizationRights): void {
  if (permission && !permissions.has(permission))
    throw forbidden("missing_permission", `This needs the permission ${permission}. Ask an owner or admin.`);
}
