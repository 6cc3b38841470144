import type { Ctx, UserId } from "../context.ts";
import type { Db } from "../db/index.ts";
import { countAttempt, toNetwork } from "../http/index.ts";

const day = 86_400;
/** Limit of mails that one person causes. */
const perUser = { attempts: 500, perSeconds: day };
/** Limit of mails that one network causes. A whole company may share one address. */
const perNetwork = { attempts: 3_000, perSeconds: day };

/** Counts a mail that a caller causes. Beyond a limit, the mail is refused with 429. */
export async function countMail(
  { address }: Pick<Ctx, "address">,
  db: Db,
  userId: UserId | undefined,
): Promise<void> {
  if (userId) await countAttempt(db, `mails ${userId}`, perUser);
  await countAttempt(db, `mails from ${toNetwork(address)}`, perNetwork);
}
