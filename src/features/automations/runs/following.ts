import type { MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { Run } from "./contract.ts";
import { resolveReach } from "./service.ts";
import * as store from "./store.ts";

/** Reads the run for all streams of this process. `isReachable` checks the access of each stream. */
export const findForFollowers = (db: Db, orgId: OrgId, id: store.RunId) => store.findPlain(db, orgId, id);

export function isReachable(ctx: MemberCtx, run: Run): boolean {
  const reach = resolveReach(ctx);
  return reach === null || reach === run.memberId;
}
