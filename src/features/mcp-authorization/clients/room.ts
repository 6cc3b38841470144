import type { Db } from "../../../platform/db/index.ts";
import { ClientProblem } from "./metadata.ts";
import * as store from "./store.ts";

const most = { dynamic: 50_000, client_metadata: 20_000 };

/**
 * Anybody can make a client known. When there are too many, the oldest that nobody connected make place, so that a
 * flood does not keep others from signing in.
 */
export async function makeRoom(db: Db, registration: keyof typeof most): Promise<void> {
  if ((await store.countAcrossOrganizations(db, registration)) < most[registration]) return;
  if ((await store.removeOldestAcrossOrganizations(db, registration)) > 0) return;
  throw new ClientProblem("temporarily_unavailable", "Too many clients are known. Try again in an hour.");
}
