import type { MemberCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors.ts";
import { cutPageById, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import { isId } from "../../../platform/ids.ts";
import { hasConnector } from "../secrets/index.ts";
import * as store from "./store.ts";

export async function list({ db, orgId }: MemberCtx, connectorId: string, query: PageQuery) {
  if (!isId("con", connectorId) || !(await hasConnector(db, orgId, connectorId))) throw notFound("connector");
  return cutPageById(
    await store.list(db, orgId, connectorId, readIdCursor(query, "rfd"), query.limit + 1),
    query,
  );
}
