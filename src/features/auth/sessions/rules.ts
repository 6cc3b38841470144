import { reauth } from "../../../platform/errors.ts";
import type { SessionColumns } from "./store.ts";

type Session = Pick<SessionColumns, "signedInAt" | "signedInBy" | "sessionMaxAgeMinutes" | "requireSso">;

/** Throws when the session does not meet the rules of the organization that it acts in. */
export function checkSessionRules(
  { signedInAt, signedInBy, sessionMaxAgeMinutes, requireSso }: Session,
  now: number,
): void {
  if (requireSso && signedInBy !== "sso") {
    throw reauth("sso_required", "This organization requires single sign-on. Sign in again through it.");
  }
  if (sessionMaxAgeMinutes !== null && now - signedInAt > sessionMaxAgeMinutes * 60_000) {
    throw reauth(
      "session_too_old",
      `This organization asks to sign in again every ${sessionMaxAgeMinutes} minutes.`,
    );
  }
}
