import type { Ctx, MemberCtx } from "../../../platform/context.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { cutPageById, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { hashSecret, isToken, newToken } from "../../../platform/secrets.ts";
import { record } from "../../audit/index.ts";
import { maxShares } from "./contract.ts";
import * as store from "./store.ts";

const tokenPrefix = "sbv_";

export async function create(ctx: MemberCtx, id: string, { expiresInDays }: { expiresInDays: number }) {
  const { config, orgId, member } = ctx;
  const token = newToken(tokenPrefix);
  const share = await ctx.db.transaction(async (tx) => {
    const found = isId("mcd", id) ? await store.lockDiscovery(tx, orgId, id) : undefined;
    if (!found) throw notFound("mcp_discovery");
    if ((await store.countLive(tx, orgId, id)) >= maxShares)
      throw conflict("too_many_shares", `This verdict already has ${maxShares} links. Remove one first.`);
    const created = (await store.insert(tx, orgId, {
      ...{ id: newId("mcs"), discoveryId: id, tokenHash: hashSecret(token) },
      ...{ createdBy: member.id, days: expiresInDays },
    }))!;
    await record(ctx, tx, {
      action: "mcp_discovery.shared",
      target: toTarget(id),
      after: { shareId: created.id, url: found.url, expiresAt: created.expiresAt },
    });
    return created;
  });
  return { share, token, url: `${config.publicUrl}/shared/verdict#${token}` };
}

export async function list({ db, orgId }: MemberCtx, id: string, query: PageQuery) {
  if (!isId("mcd", id) || !(await store.exists(db, orgId, id))) throw notFound("mcp_discovery");
  return cutPageById(await store.list(db, orgId, id, readIdCursor(query, "mcs"), query.limit + 1), query);
}

export async function remove(ctx: MemberCtx, id: string, shareId: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const before = await store.remove(tx, ctx.orgId, id, shareId);
    if (!before) throw notFound("mcp_discovery_share");
    await record(ctx, tx, {
      action: "mcp_discovery.share_removed",
      target: toTarget(id),
      before: { shareId, expiresAt: before.expiresAt },
    });
  });
}

export async function readShared({ db }: Ctx, token: string) {
  const found = isToken(tokenPrefix, token) ? await store.findByToken(db, hashSecret(token)) : undefined;
  if (!found) throw notFound("shared_discovery");
  return { discovery: found };
}

const toTarget = (id: string) => ({ type: "mcp_discovery", id });
