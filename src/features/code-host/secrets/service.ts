import type { MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { cutPageById, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import type { Keyring } from "../../../platform/keyring.ts";
import { newSigningSecret } from "../../../platform/secrets.ts";
import { type Change, record } from "../../audit/index.ts";
import { forgetSecrets } from "./cache.ts";
import { createSecretPlace } from "./sealing.ts";
import * as store from "./store.ts";

const maxSecrets = 2;

function parseConnectorId(id: string): string {
  if (!isId("con", id)) throw notFound("connector");
  return id;
}

export async function list(ctx: MemberCtx, connectorId: string, query: PageQuery) {
  if (!(await store.hasConnector(ctx.db, ctx.orgId, parseConnectorId(connectorId))))
    throw notFound("connector");
  return cutPageById(
    await store.list(ctx.db, ctx.orgId, connectorId, readIdCursor(query, "whs"), query.limit + 1),
    query,
  );
}

export async function addSecret(ctx: MemberCtx, connectorId: string) {
  return ctx.db.transaction(async (tx) => {
    if (!(await store.lockConnector(tx, ctx.orgId, parseConnectorId(connectorId))))
      throw notFound("connector");
    if ((await store.count(tx, ctx.orgId, connectorId)) >= maxSecrets) {
      throw conflict(
        "too_many_webhook_secrets",
        "A connector has two secrets at most. Remove the one that is no longer in use first.",
      );
    }
    const created = await createSecret(ctx.keyring, tx, ctx.orgId, connectorId);
    await recordSecretChange(ctx, tx, "connector.webhook_secret_added", connectorId, created.secret.id);
    return created;
  });
}

/** Uses the format of Standard Webhooks, which also works as plain text for every other signature scheme. */
export async function createSecret(keyring: Keyring, tx: Db, orgId: OrgId, connectorId: string) {
  const id = newId("whs");
  const webhookSecret = newSigningSecret();
  const sealed = keyring.seal(webhookSecret, createSecretPlace(orgId, id));
  const secret = await store.insert(tx, orgId, connectorId, id, sealed);
  if (!secret) throw new Error("The secret was not stored.");
  return { webhookSecret, secret };
}

export async function remove(ctx: MemberCtx, connectorId: string, id: string): Promise<void> {
  const { db, orgId } = ctx;
  if (!(await store.hasConnector(db, orgId, parseConnectorId(connectorId)))) throw notFound("connector");
  await db.transaction(async (tx) => {
    const removed = isId("whs", id) ? await store.remove(tx, orgId, connectorId, id) : 0;
    if (removed === 0) throw notFound("webhook_secret");
    await recordSecretChange(ctx, tx, "connector.webhook_secret_removed", connectorId, id);
  });
}

async function recordSecretChange(
  ctx: MemberCtx,
  tx: Db,
  action: Change["action"],
  connectorId: string,
  id: string,
) {
  await forgetSecrets(ctx.bus, tx, connectorId);
  const target = { type: "connector", id: connectorId };
  await record(ctx, tx, { action, target, after: { webhookSecretId: id } });
}
