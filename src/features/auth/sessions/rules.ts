import { reauth } from "../../../platform/errors.ts";
import type { SessionColumns } from "./store.ts";

type Session = Pick<
  SessionColumns,
  "signedInAt" | "ssoOrgId" | "isBreakGlass" | "sessionMaxAgeMinutes" | "requireSso"
>;

/** Throws when the session does not meet the rules of the organization that it acts in. */
export function checkSessionRules(
  { signedInAt, ssoOrgId, isBreakGlass, sessionMaxAgeMinutes, requireSso }: Session,
  now: number,
): void {
  // A session with an organization acts in no other one, so this is the single sign-on of the same organization.
  if (requireSso && ssoOrgId === null && !isBreakGlass) {
    throw reauth(
      "sso_required",
      "This organization requires single sign-on. Sign in again through it: GET /v1/sso/resolve tells where.",
    );
  }
  if (sessionMaxAgeMinutes !== null && now - (signedInAt ?? 0) > sessionMaxAgeMinutes * 60_000) {
    throw reauth(
      "session_too_old",
      `This organization asks to sign in again every ${sessionMaxAgeMinutes} minutes.`,
    );
  }
}
