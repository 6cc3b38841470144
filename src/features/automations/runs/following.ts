import type { MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { Run } from "./contract.ts";
import { reachOf } from "./service.ts";
import * as store from "./store.ts";

/** The run for everybody in this process who follows it; `isReachable` says which of them may see it. */
export const findForFollowers = (db: Db, orgId: OrgId, id: store.RunId) => store.findPlain(db, orgId, id);

export function isReachable(ctx: MemberCtx, run: Run): boolean {
  const reach = reachOf(ctx);
  return reach === null || reach === run.memberId;
}
