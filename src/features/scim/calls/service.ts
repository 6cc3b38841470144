import type { MemberCtx } from "../../../platform/context.ts";
import { cutPageById, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import * as store from "./store.ts";

export async function list({ db, orgId }: MemberCtx, query: PageQuery) {
  return cutPageById(await store.list(db, orgId, readIdCursor(query, "scl"), query.limit + 1), query);
}
