import type { OrganizationCtx } from "../../../platform/context.ts";
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

/** What the credential says about its caller. */
interface Reporter {
  credentialId: string;
  memberId: string | null;
  /** The worker of a worker token. */
  workerId: string | undefined;
  /** The run of a run credential. */
  runId: string | undefined;
  /** May report for other members and workers. */
  mayAttribute: boolean;
}

const findReporter = ({ caller, permissions }: OrganizationCtx): Reporter => ({
  credentialId: caller.credentialId,
  memberId: caller.member?.id ?? null,
  workerId: caller.credential === "worker" ? caller.credentialId : undefined,
  runId: caller.credential === "run" ? caller.credentialId : undefined,
  mayAttribute: permissions.has("telemetry:manage"),
});

/**
 * Returns a function that decides where an event belongs. The credential decides; attributes may say more only where
 * the caller could also have acted there.
 */
export async function createPlaceFinder(
  ctx: OrganizationCtx,
  claims: readonly Claims[],
): Promise<(claims: Claims) => Place | WrongClaim> {
  const reporter = findReporter(ctx);
  const runs = await findRuns(ctx, claims, reporter);
  const members = reporter.mayAttribute ? await findMembers(ctx, claims) : new Map<string, string>();
  const workers = await findWorkers(ctx, claims, reporter);
  return (claim) => {
    const runId = claim.runId ?? reporter.runId;
    const run = runId === undefined ? undefined : runs.get(runId);
    if (runId !== undefined && (!run || !mayReportRun(reporter, run)))
      return wrong("runId", "There is no such run that this credential may report about.");
    const problem = findMemberProblem(reporter, claim, run, members);
    if (problem) return problem;
    const workerId = claim.workerId ?? reporter.workerId ?? run?.workerId ?? null;
    if (claim.workerId !== undefined && !workers.has(claim.workerId))
      return wrong("workerId", "There is no such worker that this credential may report about.");
    const byMail = claim.email === undefined ? undefined : members.get(claim.email.toLowerCase());
    return {
      memberId: run ? run.memberId : (claim.memberId ?? byMail ?? reporter.memberId),
      workerId,
      runId: run?.id ?? null,
      automationId: run?.automationId ?? null,
    };
  };
}

/** A run credential reports about its run; others about own runs and runs that their runner or worker holds. */
function mayReportRun(reporter: Reporter, run: store.ReportedRun): boolean {
  if (reporter.runId !== undefined) return run.id === reporter.runId;
  if (reporter.workerId !== undefined) return run.workerId === reporter.workerId;
  return reporter.mayAttribute || run.memberId === reporter.memberId || run.holder === reporter.credentialId;
}

function findMemberProblem(
  reporter: Reporter,
  { memberId }: Claims,
  run: store.ReportedRun | undefined,
  members: ReadonlyMap<string, string>,
): WrongClaim | undefined {
  if (memberId === undefined || memberId === (run ? run.memberId : reporter.memberId)) return undefined;
  if (!reporter.mayAttribute)
    return wrong("memberId", "Only with the permission telemetry:manage can events belong to other members.");
  if (!members.has(memberId)) return wrong("memberId", "There is no such member.");
  return run ? wrong("memberId", "The run belongs to another member.") : undefined;
}

async function findRuns(
  { db, orgId }: OrganizationCtx,
  claims: readonly Claims[],
  { runId: own }: Reporter,
): Promise<Map<string, store.ReportedRun>> {
  const ids = new Set<string>(
    claims.flatMap(({ runId }) => (runId !== undefined && isId("run", runId) ? runId : [])),
  );
  if (own !== undefined) ids.add(own);
  if (ids.size === 0) return new Map();
  return new Map((await store.listRuns(db, orgId, [...ids])).map((run) => [run.id, run]));
}

/** Member ids by themselves and by mail address. */
async function findMembers(
  { db, orgId }: OrganizationCtx,
  claims: readonly Claims[],
): Promise<Map<string, string>> {
  const ids = new Set(claims.flatMap(({ memberId }) => memberId ?? []));
  const emails = new Set(claims.flatMap(({ email }) => email?.toLowerCase() ?? []));
  if (ids.size + emails.size === 0) return new Map();
  const rows = await store.listMembers(db, orgId, [...ids], [...emails]);
  return new Map(rows.flatMap(({ id, email }) => [[id, id] as const, [email, id] as const]));
}

/** The workers that the caller may report about: its own one, those of its member, or all. */
async function findWorkers(
  { db, orgId }: OrganizationCtx,
  claims: readonly Claims[],
  { mayAttribute, memberId, workerId: own, runId }: Reporter,
): Promise<Set<string>> {
  const ids = new Set(claims.flatMap(({ workerId }) => workerId ?? []));
  if (ids.size === 0) return new Set();
  const isAllowed = (worker: store.ReportingWorker) =>
    worker.id === own ||
    mayAttribute ||
    (runId === undefined && worker.memberId === memberId && memberId !== null);
  return new Set((await store.listWorkers(db, orgId, [...ids])).filter(isAllowed).map(({ id }) => id));
}
