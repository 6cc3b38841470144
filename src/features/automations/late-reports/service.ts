import type { MemberCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors.ts";
import { idCursor, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { overhead, quotaMeter } from "../../quotas/index.ts";
import { computeDigest } from "../digest.ts";
import type { LateReport } from "./contract.ts";
import * as store from "./store.ts";

interface LateReportInput {
  kind: LateReport["kind"];
  attempt: number;
  sequence: number | null;
  body: Record<string, unknown>;
}

/** Stores the refused reports of a former holder next to the run, each different report once. */
export async function recordLateReports(
  ctx: MemberCtx,
  runId: string,
  reporter: string,
  reports: readonly LateReportInput[],
) {
  const { db, orgId } = ctx;
  const rows = reports.map(({ kind, attempt, sequence, body }) => ({
    id: newId("late"),
    kind,
    attempt,
    sequence,
    body: JSON.stringify(body),
    digest: computeDigest({ kind, reporter, body }),
  }));
  const bytes = rows.reduce((sum, { body }) => sum + Buffer.byteLength(body) + overhead.lateReport, 0);
  const meter = ctx.state.get(quotaMeter);
  // The reports are refused in any case, so those that exceed the quota are dropped.
  if (await meter.findRefusal(db, orgId, "automation_storage", bytes)) return;
  if ((await store.insert(db, orgId, runId, reporter, rows)) > 0)
    meter.add(orgId, "automation_storage", bytes);
}

export async function list({ db, orgId, member }: MemberCtx, id: string, query: PageQuery) {
  const reach = member.permissions.has("automations:manage") ? null : member.id;
  const found = isId("run", id)
    ? await store.list(db, orgId, reach, id, readIdCursor(query, "late"), query.limit)
    : undefined;
  if (!found) throw notFound("automation_run");
  const { items, more } = found;
  return { items, nextCursor: more ? idCursor.write(items.at(-1)!.id) : null };
}
