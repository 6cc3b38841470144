import type { OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { type Definition, groupDefinition, userDefinition } from "../definitions/index.ts";
import { invalidValue } from "../errors.ts";
import { planSearch, planSort } from "./plan.ts";
import * as store from "./store.ts";

/** The query of a list (RFC 7644, 3.4.2). */
export interface SearchRequest {
  connectorId: string;
  filter?: string;
  sortBy?: string;
  sortOrder?: string;
  page: store.Page;
}

export interface Found<Row> {
  /** How many resources match, on all pages. */
  total: number;
  rows: Row[];
}

function toSearch(
  definition: Definition,
  { connectorId, filter, page, ...sorting }: SearchRequest,
): store.Search {
  const sort = planSort(definition, sorting);
  if (page.afterId !== undefined && (sort.by !== "id" || sort.descending))
    throw invalidValue("A cursor cannot be combined with `sortBy`. Use `startIndex`.");
  return { connectorId, plan: planSearch(definition, filter), sort, page };
}

async function find<Row>(
  { page }: store.Search,
  list: () => Promise<Row[]>,
  count: () => Promise<{ total: number } | undefined>,
): Promise<Found<Row>> {
  const rows = page.limit === 0 ? [] : await list();
  // A page that is not full is the last one, so nothing has to be counted.
  const isLast =
    page.afterId === undefined && rows.length < page.limit && (rows.length > 0 || page.offset === 0);
  return { rows, total: isLast ? page.offset + rows.length : ((await count())?.total ?? 0) };
}

export function searchUsers(db: Db, orgId: OrgId, request: SearchRequest): Promise<Found<store.UserRow>> {
  const search = toSearch(userDefinition, request);
  return find(
    search,
    () => store.listUsers(db, orgId, search),
    () => store.countUsers(db, orgId, search),
  );
}

export function searchGroups(db: Db, orgId: OrgId, request: SearchRequest): Promise<Found<store.GroupRow>> {
  const search = toSearch(groupDefinition, request);
  return find(
    search,
    () => store.listGroups(db, orgId, search),
    () => store.countGroups(db, orgId, search),
  );
}
