import type { Db } from "../../platform/db/index.ts";
import { Refusal } from "../../platform/errors.ts";
import { countAttempt } from "../../platform/http/index.ts";

/** Limits mails that anybody can request for an address: enough for a person, too few to flood a mailbox. */
export const mailboxLimit = { attempts: 5, perSeconds: 3600 };

/** Counts a mail of one kind. Each kind has its own limit, so that requests for one kind cannot block another. */
export async function tryCountMail(db: Db, kind: string, email: string): Promise<boolean> {
  try {
    await countAttempt(db, `${kind} to ${email.toLowerCase()}`, mailboxLimit);
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.status === 429) return false;
    throw error;
  }
}
