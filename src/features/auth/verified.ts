import type { UserId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { forbidden } from "../../platform/errors.ts";
import { findUser } from "./store.ts";

/** Refuses a person whose address is not verified. `what` is the subject of the message. */
export async function requireVerifiedAddress(db: Db, userId: UserId, subject: string): Promise<void> {
  if ((await findUser(db, userId))?.emailVerified) return;
  throw forbidden(
    "email_not_verified",
    `${subject} needs a confirmed e-mail address. Open the link in the confirmation mail, or have it sent again with POST /api/auth/send-verification-email. Without SMTP_URL the mail stays on the server: \`signalbox mail --last\` prints it.`,
  );
}
