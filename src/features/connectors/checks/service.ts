import type { MemberCtx } from "../../../platform/context.ts";
import { notFound, rateLimited } from "../../../platform/errors.ts";
import { isId } from "../../../platform/ids.ts";
import { Failure, failureOf } from "../failure.ts";
import { openTarget, readFolder, resolveHead, type Target } from "../source/index.ts";
import type { ErrorCode } from "../syncs/index.ts";
import { targetOf } from "../target.ts";
import type { CheckName, Test } from "./contract.ts";
import * as store from "./store.ts";

const patienceMs = 30_000;
const names: readonly CheckName[] = ["reachable", "access", "ref", "folder", "templates"];

/** The step at which a failure shows. */
const stepOf: Partial<Record<ErrorCode, CheckName>> = {
  address_refused: "reachable",
  unreachable: "reachable",
  access_refused: "access",
  repository_not_found: "access",
  unsupported_repository: "access",
  ref_not_found: "ref",
  folder_not_found: "folder",
};

/** Each may hold a pack of 64 MiB. */
const atOnce = 3;
let underWay = 0;

export async function test(ctx: MemberCtx, id: string): Promise<{ test: Test }> {
  const row = isId("con", id) ? await store.findTarget(ctx.db, ctx.orgId, id) : undefined;
  if (!row) throw notFound("connector");
  if (underWay >= atOnce) throw rateLimited(5);
  underWay++;
  try {
    return { test: await tryOut(ctx, targetOf(row)) };
  } finally {
    underWay--;
  }
}

async function tryOut(ctx: MemberCtx, target: Target): Promise<Test> {
  const host = new URL(target.cloneUrl).host;
  let commit: string | null = null;
  /** How far it came. */
  let at: CheckName = "reachable";
  const messages: Partial<Record<CheckName, string>> = {};
  const signal = AbortSignal.timeout(patienceMs);
  try {
    const reading = await openTarget(ctx, target, { signal, timeoutMs: patienceMs }, async (repository) => {
      messages.reachable = `${host} answers.`;
      messages.access =
        target.accessKind === "none"
          ? "The repository can be read by anybody."
          : "The token or key opens the repository.";
      at = "ref";
      commit = await resolveHead(repository, target.ref);
      messages.ref = `${target.ref} is at ${commit.slice(0, 10)}.`;
      at = "folder";
      return readFolder(repository, commit, target.folder, new Map());
    });
    const templates = reading.files.filter(({ said }) => said && !("message" in said));
    const broken = reading.files.flatMap(({ said }) => (said && "message" in said ? [said] : []));
    const problems = [...reading.problems, ...broken];
    messages.folder =
      target.folder === "" ? "The whole repository is read." : `The folder ${target.folder} is there.`;
    const wrong = problems.length === 0 ? "" : ` ${problems.length} would be left out, see problems.`;
    messages.templates = `${templates.length} ${templates.length === 1 ? "template" : "templates"}.${wrong}`;
    return {
      ok: true,
      checks: names.map((name) => ({ name, status: "passed", message: messages[name]! })),
      commit,
      templateCount: templates.length,
      problems: problems.slice(0, 100),
    };
  } catch (error) {
    const failure =
      failureOf(error) ??
      (signal.aborted
        ? new Failure("unreachable", `Reading took longer than ${patienceMs / 1000} s.`)
        : new Failure("internal_error", "A fault of this service; its log says more."));
    if (failure.code === "internal_error")
      ctx.log.error({ connectorId: target.id, err: error }, "connector test failed");
    // Trouble that could come at any step shows at the one that was under way.
    const failed = Math.max(names.indexOf(stepOf[failure.code] ?? at), names.indexOf(at));
    const checks = names.map((name, i) => {
      if (i === failed) return { name, status: "failed" as const, message: failure.message };
      if (i > failed) return { name, status: "skipped" as const, message: "Not tried." };
      return { name, status: "passed" as const, message: messages[name] ?? `${host} answers.` };
    });
    return { ok: false, checks, commit, templateCount: null, problems: [] };
  }
}
