import { NoPlaceError } from "@signalbox/flow-control";
import type { MemberCtx } from "../../../platform/context.ts";
import { notFound, rateLimited } from "../../../platform/errors.ts";
import { isId } from "../../../platform/ids.ts";
import { Failure, toFailure } from "../failure.ts";
import { completeTarget, findTarget, readTarget, type Target } from "../source/index.ts";
import type { ErrorCode } from "../sync-errors.ts";
import type { CheckName, Test } from "./contract.ts";

const timeoutMs = 30_000;
const maxComputeMs = 20_000;
const checkNames: readonly CheckName[] = ["reachable", "access", "ref", "folder", "templates"];

/** The step that each failure belongs to. */
const failedSteps: Partial<Record<ErrorCode, CheckName>> = {
  address_refused: "reachable",
  unreachable: "reachable",
  access_refused: "access",
  repository_not_found: "access",
  unsupported_repository: "access",
  ref_not_found: "ref",
  folder_not_found: "folder",
};

/** Each test may hold a pack of 64 MiB in memory. */
const queueLimits = { capacity: 4, maxWaitMs: 5_000, maxWaiting: 64, maxWaitingPerKey: 4 };

export async function testConnector(ctx: MemberCtx, id: string): Promise<{ test: Test }> {
  const row = isId("con", id) ? await findTarget(ctx.db, ctx.orgId, id) : undefined;
  if (!row) throw notFound("connector");
  const release = await ctx
    .queues("connector tests", queueLimits)
    .enter(ctx.orgId)
    .catch((error) => {
      throw error instanceof NoPlaceError ? rateLimited(10) : error;
    });
  try {
    return { test: await runChecks(ctx, completeTarget(row)) };
  } finally {
    release();
  }
}

async function runChecks(ctx: MemberCtx, target: Target): Promise<Test> {
  const host = new URL(target.cloneUrl).host;
  let commit: string | null = null;
  /** The step that is running. */
  let current: CheckName = "reachable";
  const messages: Partial<Record<CheckName, string>> = {};
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const { templateCount, problems, problemCount } = await readTarget(ctx, target, {
      signal,
      timeoutMs,
      computeMs: maxComputeMs,
      wantsFiles: false,
      onOpened() {
        messages.reachable = `${host} answers.`;
        messages.access =
          target.accessKind === "none"
            ? "The repository can be read by anybody."
            : "The token or key opens the repository.";
        current = "ref";
      },
      onResolved(head) {
        commit = head;
        messages.ref = `${target.ref} is at ${head.slice(0, 10)}.`;
        current = "folder";
      },
    });
    messages.folder =
      target.folder === "" ? "The whole repository is read." : `The folder ${target.folder} is there.`;
    const wrong = problemCount === 0 ? "" : ` ${problemCount} would be left out, see problems.`;
    messages.templates = `${templateCount} ${templateCount === 1 ? "template" : "templates"}.${wrong}`;
    return {
      ok: true,
      checks: checkNames.map((name) => ({ name, status: "passed", message: messages[name]! })),
      commit,
      templateCount,
      problems: [...problems],
    };
  } catch (error) {
    const failure =
      toFailure(error) ??
      (signal.aborted
        ? new Failure("unreachable", `Reading took longer than ${timeoutMs / 1000} s.`)
        : new Failure("internal_error", "An error in this service. Its log has the details."));
    if (failure.code === "internal_error")
      ctx.log.error({ connectorId: target.id, err: error }, "connector test failed");
    // A failure that is possible at any step belongs to the step that was running.
    const failed = Math.max(
      checkNames.indexOf(failedSteps[failure.code] ?? current),
      checkNames.indexOf(current),
    );
    const checks = checkNames.map((name, i) => {
      if (i === failed) return { name, status: "failed" as const, message: failure.message };
      if (i > failed) return { name, status: "skipped" as const, message: "Not tried." };
      return { name, status: "passed" as const, message: messages[name] ?? `${host} answers.` };
    });
    return { ok: false, checks, commit, templateCount: null, problems: [] };
  }
}
