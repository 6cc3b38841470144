import type { MemberCtx } from "../../../../platform/context.ts";
import { knownProviders } from "../../../oauth-providers/index.ts";
import type { Item } from "../contract.ts";
import { createItem, rowLimit } from "../item.ts";
import * as store from "./store.ts";

const kinds = {
  needs_reconnect: "connection_needs_reconnect",
  uncertain: "connection_uncertain",
  expires: "connection_expires",
} as const;

export async function findConnectionItems({ db, orgId, member }: MemberCtx): Promise<Item[]> {
  const isForAll = member.permissions.has("connections:manage");
  if (!isForAll && !member.permissions.has("connections:use")) return [];
  const rows = await store.listTroubled(db, orgId, isForAll ? null : member.id, rowLimit);
  if (rows.length === 0) return [];
  const uses = new Map(
    (
      await store.countAutomations(
        db,
        orgId,
        rows.map(({ id }) => id),
      )
    ).map(({ id, count }) => [id, count]),
  );
  return rows.map(({ id, label, providerId, customName, status, reason, expiresAt, ...row }) =>
    createItem(
      status === "needs_reconnect" ? "error" : "warning",
      kinds[status],
      {
        type: "connection",
        id,
        name: label,
        parentId: providerId,
        parentName: customName ?? knownProviders.get(providerId)?.name ?? null,
      },
      {
        ...row,
        code: reason ?? (status === "needs_reconnect" ? "expired" : null),
        count: uses.get(id) ?? 0,
        dueAt: status === "expires" ? expiresAt : null,
      },
    ),
  );
}

/** Webhook endpoints and keys of LLM providers. */
export async function findOutsideItems({ db, orgId, member }: MemberCtx): Promise<Item[]> {
  const endpoints = member.permissions.has("notifications:manage")
    ? await store.listFailingEndpoints(db, orgId, rowLimit)
    : [];
  const keys = member.permissions.has("llm_providers:manage")
    ? await store.listRefusedKeys(db, orgId, rowLimit)
    : [];
  return [
    ...endpoints.map(({ id, url, isDisabled, reason, failures, since }) =>
      createItem(
        isDisabled ? "error" : "warning",
        isDisabled ? "webhook_endpoint_disabled" : "webhook_endpoint_failing",
        { type: "webhook_endpoint", id, name: url },
        { code: reason, count: failures, since },
      ),
    ),
    ...keys.map(({ id, name, providerId, verdict, message, since }) =>
      createItem(
        "error",
        "llm_key_refused",
        { type: "llm_provider_key", id, name, parentId: providerId },
        { code: verdict, message, since },
      ),
    ),
  ];
}
