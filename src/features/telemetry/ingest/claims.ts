import type { MemberCtx } from "../../../platform/context.ts";
import { isId } from "../../../platform/ids.ts";
import type { Claims } from "../record.ts";
import * as store from "./store.ts";

/** Where an event belongs. */
export interface Place {
  memberId: string | null;
  workerId: string | null;
  runId: string | null;
  automationId: string | null;
}

/** A claim that the caller may not make. */
export interface WrongClaim {
  field: "memberId" | "workerId" | "runId";
  message: string;
}

const wrong = (field: WrongClaim["field"], message: string): WrongClaim => ({ field, message });
export const isWrong = (found: Place | WrongClaim): found is WrongClaim => "field" in found;

/**
 * Returns a function that decides where an event belongs. The credential decides; attributes may say more only where
 * the caller could also have acted there.
 */
export async function createPlaceFinder(
  ctx: MemberCtx,
  claims: readonly Claims[],
): Promise<(claims: Claims) => Place | WrongClaim> {
  const { caller, member, permissions } = ctx;
  const mayAttribute = permissions.has("telemetry:manage");
  const ownRunId = caller.credential === "run" ? caller.credentialId : undefined;
  const runs = await findRuns(ctx, claims, ownRunId);
  const members = mayAttribute ? await findMembers(ctx, claims) : new Map<string, string>();

  const findRun = (runId: string): store.ReportedRun | WrongClaim => {
    const run = runs.get(runId);
    const mayReport =
      run &&
      (ownRunId === undefined
        ? mayAttribute || run.memberId === member.id || run.holder === caller.credentialId
        : run.id === ownRunId);
    return mayReport ? run : wrong("runId", "There is no such run that this credential may report about.");
  };

  return ({ memberId, email, workerId, runId }) => {
    if (workerId !== undefined) return wrong("workerId", "There is no such worker.");
    const run = (runId ?? ownRunId) === undefined ? undefined : findRun(runId ?? ownRunId!);
    if (run && "field" in run) return run;
    const found = memberId ?? (email === undefined ? undefined : members.get(email.toLowerCase()));
    const own = run?.memberId ?? member.id;
    if (memberId !== undefined && memberId !== own) {
      if (!mayAttribute)
        return wrong(
          "memberId",
          "Only with the permission telemetry:manage can events belong to other members.",
        );
      if (!members.has(memberId)) return wrong("memberId", "There is no such member.");
      if (run) return wrong("memberId", "The run belongs to another member.");
    }
    return {
      memberId: run ? run.memberId : (found ?? member.id),
      workerId: null,
      runId: run?.id ?? null,
      automationId: run?.automationId ?? null,
    };
  };
}

async function findRuns(
  { db, orgId }: MemberCtx,
  claims: readonly Claims[],
  ownRunId: string | undefined,
): Promise<Map<string, store.ReportedRun>> {
  const ids = new Set<string>(
    claims.flatMap(({ runId }) => (runId !== undefined && isId("run", runId) ? runId : [])),
  );
  if (ownRunId !== undefined) ids.add(ownRunId);
  if (ids.size === 0) return new Map();
  return new Map((await store.listRuns(db, orgId, [...ids])).map((run) => [run.id, run]));
}

/** Member ids by themselves and by mail address. */
async function findMembers(
  { db, orgId }: MemberCtx,
  claims: readonly Claims[],
): Promise<Map<string, string>> {
  const ids = new Set<string>(claims.flatMap(({ memberId }) => memberId ?? []));
  const emails = new Set(claims.flatMap(({ email }) => email?.toLowerCase() ?? []));
  if (ids.size + emails.size === 0) return new Map();
  const rows = await store.listMembers(db, orgId, [...ids], [...emails]);
  return new Map(rows.flatMap(({ id, email }) => [[id, id] as const, [email, id] as const]));
}
