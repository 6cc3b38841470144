import { createBatcher } from "../../../platform/batcher.ts";
import type { MemberCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { defineState } from "../../../platform/state.ts";
import { toUsable } from "../access/index.ts";
import { toReader } from "../find.ts";
import type { UsableConnection } from "../model.ts";
import { createExposedName } from "../names.ts";
import { servesLatest } from "./policy.ts";
import { toUsableTool, type UsableTool } from "./service.ts";
import * as store from "./store.ts";

/** A tool that the caller can call by its name, and what decides about the call. */
export interface CallableTool {
  connection: UsableConnection;
  tool: UsableTool;
  facts: store.CallRow;
}

interface CallableLookups {
  find(db: Db, lookup: store.CallableLookup): Promise<store.CallableRow | undefined>;
}

/**
 * Tools that are looked up at the same time are found with one statement. It starts after all of these requests have
 * arrived, so a right that ended before a request is not found for it.
 */
export const callableLookups = defineState({
  name: "lookups of tools that are called",
  create: ({ db }): CallableLookups => {
    const changes = db.withOptions({ work: "change" });
    const find = createBatcher<store.CallableLookup, store.CallableRow | undefined>({
      send: (lookups) => store.findCallableAcrossOrganizations(changes, lookups),
      owner: ({ orgId }) => orgId,
      size: () => 1,
      maxItems: 100,
      maxSize: 100,
    });
    return {
      // The embedded engine has one connection, which organizations use in turn. A shared statement would be in no turn.
      find: async (own, lookup) =>
        own.kind === "pglite"
          ? (await store.findCallableAcrossOrganizations(own, [lookup]))[0]
          : find(lookup),
    };
  },
});

/** Whether the name of a tool at `/mcp` tells its connection and its own name. Long names end with a hash instead. */
export function readExposedName(exposedName: string): { slug: string; name: string } | undefined {
  const [, slug, name] = /^(.+?)__(.+)$/s.exec(exposedName) ?? [];
  if (slug === undefined || name === undefined) return undefined;
  return createExposedName(slug, name) === exposedName ? { slug, name } : undefined;
}

/** Finds a tool and its connection with one statement. Undefined when the caller has no such tool. */
export async function findCallable(
  ctx: MemberCtx,
  { slug, name }: { slug: string; name: string },
): Promise<CallableTool | undefined> {
  if (!ctx.member.permissions.has("mcp_connections:use")) return undefined;
  const { memberId, runId } = toReader(ctx);
  const lookups = ctx.state.get(callableLookups);
  const row = await lookups.find(ctx.db, { orgId: ctx.orgId, memberId, runId, slug, name });
  if (!row) return undefined;
  const { approvedDefinition, ...found } = row;
  const { facts, usable } = splitRow(found);
  const { definition, approvedHash, latestHash, drift, heldTools } = facts;
  if (!definition || latestHash === null) return undefined;
  const connection = toUsable(ctx, ctx.orgId, usable);
  const isLatest = servesLatest(connection.policy);
  if (!isLatest && approvedHash === null) return undefined;
  const tool = toUsableTool(connection, {
    name,
    definition: isLatest ? definition : (approvedDefinition ?? definition),
    drift: drift ?? [],
    isConnectionHeld: heldTools > 0,
  });
  return { connection, tool, facts };
}

function splitRow(row: Omit<store.CallableRow, "approvedDefinition">) {
  const {
    definition,
    approvedAnnotations,
    approvedHash,
    latestHash,
    drift,
    heldTools,
    hasBaseline,
    ...usable
  } = row;
  const facts: store.CallRow = {
    ...{ definition, approvedAnnotations, approvedHash, latestHash, drift },
    ...{ heldTools, hasBaseline },
  };
  return { facts, usable };
}
