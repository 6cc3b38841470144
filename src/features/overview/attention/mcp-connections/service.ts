import type { MemberCtx } from "../../../../platform/context.ts";
import type { Item } from "../contract.ts";
import { createItem, rowLimit } from "../item.ts";
import * as store from "./store.ts";

/** Managers see every connection. Others see the connections at which they must sign in again or consent. */
export async function findMcpConnectionItems({ db, orgId, member }: MemberCtx): Promise<Item[]> {
  const isManager = member.permissions.has("mcp_connections:manage");
  if (!isManager && !member.permissions.has("mcp_connections:use")) return [];
  const refused = await store.listRefused(db, orgId, isManager ? null : member.id, rowLimit);
  const items = refused.map(({ id, name, state, count, since, reason }) =>
    createItem(
      "error",
      state === "sign_in" ? "mcp_sign_in" : "mcp_consent",
      { type: "mcp_connection", id, name },
      { count, since, message: reason, code: state },
    ),
  );
  if (!isManager) return items;
  const troubled = await store.listTroubled(db, orgId, rowLimit);
  const approvals = await store.listPendingApprovals(db, orgId, rowLimit);
  return [
    ...items,
    ...troubled.flatMap(toTroubleItems),
    ...approvals.map(({ id, tool, connectionId, connectionName, ...row }) =>
      createItem(
        "warning",
        "mcp_approval_pending",
        { type: "mcp_approval", id, name: tool, parentId: connectionId, parentName: connectionName },
        row,
      ),
    ),
  ];
}

function toTroubleItems(row: Awaited<ReturnType<typeof store.listTroubled>>[number]): Item[] {
  const { id, name, isFailing, heldTools, code, message, failingSince, changedAt, ownerId, ownerName } = row;
  const subject = { type: "mcp_connection", id, name } as const;
  const owner = { ownerId, ownerName };
  return [
    ...(isFailing
      ? [
          createItem("error", "mcp_connection_failing", subject, {
            ...owner,
            code,
            message,
            since: failingSince,
          }),
        ]
      : []),
    ...(heldTools > 0
      ? [createItem("error", "mcp_tools_held", subject, { ...owner, count: heldTools, since: changedAt })]
      : []),
  ];
}
