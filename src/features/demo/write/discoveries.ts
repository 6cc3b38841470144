import type { Db } from "../../../platform/db/index.ts";
import { newIdAt } from "../../../platform/ids.ts";
import type { Plan } from "../plan/index.ts";
import { insertRows } from "../store.ts";
import type { Ids } from "./ids.ts";

/** Writes the verdicts of discoveries that people made. */
export const writeDiscoveries = (tx: Db, { discoveries }: Plan, ids: Ids): Promise<void> =>
  insertRows(
    tx,
    ids.organization,
    "mcp_discoveries",
    discoveries.map(({ member, at, url, result, evidence, durationMs }) => ({
      ...{ id: newIdAt("mcd", at), member_id: ids.member(member), url, status: result.status },
      ...{ result, evidence, duration_ms: durationMs, created_at: new Date(at).toISOString() },
    })),
  );
