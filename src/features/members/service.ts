import type { MemberCtx, MemberId, OrgId, UserId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { notFound } from "../../platform/errors.ts";
import { afterOf, type PageQuery, page } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import * as store from "./store.ts";

/** For rooms that let people in. The caller announces the change, with whatever else changes. */
export async function addMember(tx: Db, orgId: OrgId, userId: UserId, role: string): Promise<MemberId> {
  const id = newId("mem");
  await store.insert(tx, orgId, { id, userId, role });
  return id;
}

export async function list({ db, orgId }: MemberCtx, query: PageQuery) {
  return page(await store.list(db, orgId, afterOf(query), query.limit + 1), query);
}

export async function read({ db, orgId }: MemberCtx, id: string) {
  const member = isId("mem", id) ? await store.find(db, orgId, id) : undefined;
  if (!member) throw notFound("member");
  return { member };
}
