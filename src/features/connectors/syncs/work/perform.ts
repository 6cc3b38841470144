import type { Platform } from "../../../../platform/context.ts";
import { SandboxError } from "../../../../platform/sandbox/index.ts";
import { recordAsSystem } from "../../../audit/index.ts";
import { knownFiles, makeEqual, removeOldVersions, takeStorage } from "../../../templates/index.ts";
import { Failure, failureOf } from "../../failure.ts";
import { type Reading, readTarget } from "../../source/index.ts";
import { targetOf } from "../../target.ts";
import { type Claim, maxAttempts } from "./claim.ts";
import { failSync } from "./ending.ts";
import * as store from "./store.ts";

const renewMs = 15_000;
const longestMs = 5 * 60_000;
/** The part of `longestMs` that unpacking and parsing may take. */
const computeMs = 60_000;
/** Before the second attempt, the third, … */
const pauses = [10, 40, 160, 600];

/** Another worker has it, or it is gone: whatever was done here counts for nothing. */
class LeaseLost extends Error {}

/** Does a sync that was claimed. Never throws: how it went stands on the sync. */
export async function perform(platform: Platform, claim: Claim, stopping: AbortSignal): Promise<void> {
  const { db, log, metrics } = platform;
  const { id, holder, target } = claim;
  const { orgId } = target;
  const started = performance.now();
  const lost = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal, AbortSignal.timeout(longestMs)]);
  const renewing = setInterval(() => {
    store.renew(db, orgId, id, holder).then(
      (renewed) => renewed === 0 && lost.abort(),
      // The database is away for a moment; the lease may outlast that.
      (error) => log.warn({ syncId: id, err: error }, "sync lease"),
    );
  }, renewMs);
  const progress: { commit: string | null } = { commit: null };
  let outcome = "succeeded";
  try {
    const reading = await read(platform, claim, signal, progress);
    outcome = await apply(platform, claim, reading);
  } catch (error) {
    outcome = await settle(platform, claim, error, { stopping, lost: lost.signal, commit: progress.commit });
  } finally {
    clearInterval(renewing);
    const seconds = (performance.now() - started) / 1000;
    metrics.time("connector_sync_duration_seconds", { outcome }, seconds);
    log.info(
      { syncId: id, connectorId: target.id, attempt: claim.attempt, outcome, seconds },
      "connector sync",
    );
  }
}

async function read(
  platform: Platform,
  { id, holder, target }: Claim,
  signal: AbortSignal,
  progress: { commit: string | null },
): Promise<Reading> {
  const known = await knownFiles(platform.db, target.orgId, target.id);
  return readTarget(platform, targetOf(target), {
    signal,
    computeMs,
    known,
    wantsFiles: true,
    async onResolved(commit) {
      progress.commit = commit;
      // Recorded before anything is unpacked: if this process dies, the head that caused it is known.
      await store.noteCommit(platform.db, target.orgId, id, holder, commit);
    },
  });
}

/** Everything in one step: the templates, the sync, what the connector shows. */
async function apply(platform: Platform, { id, holder, target }: Claim, reading: Reading): Promise<string> {
  const { orgId, id: connectorId } = target;
  const { commit, author, files } = reading;
  return platform.db.transaction(async (tx) => {
    const now = await store.lockTarget(tx, orgId, connectorId);
    if (!now || !(await store.lockHeld(tx, orgId, id, holder))) throw new LeaseLost();
    if (now.status !== "active")
      throw new Failure(`connector_${now.status}`, "The connector was switched off while it was being read.");
    // Another repository or folder was chosen meanwhile, or it was renamed: it waits again, for that one. If
    // another sync waits already, that one does the work of both.
    if (now.cloneUrl !== target.cloneUrl || now.ref !== target.ref || now.folder !== target.folder) {
      await store.release(tx, orgId, id, holder);
      return "released";
    }
    const full = await takeStorage(platform, tx, orgId, files);
    if (full) throw new Failure("too_large", full.message);
    const outcome = await makeEqual(tx, orgId, { connectorId, commit, author }, files);
    if (!outcome) {
      throw new Failure(
        "too_many_templates",
        "The organization would have more than 10,000 templates. Choose a smaller folder, or remove some.",
      );
    }
    await removeOldVersions(platform, tx, orgId, { connectorId });
    const { added, changed, removed, unchanged } = outcome;
    const problems = [...reading.problems, ...outcome.problems.items];
    const problemCount = reading.problemCount + outcome.problems.count;
    const changes = { added, changed, removed, unchanged };
    await store.succeed(tx, orgId, id, { commit, ...changes, problems, problemCount });
    await store.setSynced(tx, orgId, connectorId, commit);
    if (added + changed + removed > 0) {
      await recordAsSystem(tx, orgId, {
        action: "connector.synced",
        target: { type: "connector", id: connectorId },
        after: { syncId: id, commit, author, added, changed, removed },
      });
    }
    return "succeeded";
  });
}

interface Circumstances {
  stopping: AbortSignal;
  lost: AbortSignal;
  commit: string | null;
}

/** The caller has excluded a stop and a lost lease, so these errors mean that the time limit has passed. */
const isGivenUp = (error: unknown) =>
  (error instanceof Error && error.name === "EgressError") ||
  (error instanceof SandboxError && error.kind === "aborted");

async function settle(
  { db, log }: Platform,
  { id, holder, attempt, target: { orgId, id: connectorId } }: Claim,
  error: unknown,
  { stopping, lost, commit }: Circumstances,
): Promise<string> {
  try {
    if (lost.aborted || error instanceof LeaseLost) return "lease_lost";
    if (stopping.aborted) {
      await store.release(db, orgId, id, holder);
      return "released";
    }
    let failure = failureOf(error);
    if (!failure && isGivenUp(error))
      failure = new Failure("unreachable", "Reading the repository took longer than 5 minutes.", true);
    if (!failure) log.error({ syncId: id, connectorId, err: error }, "connector sync failed");
    const { code, message, retryable } =
      failure ?? new Failure("internal_error", "An error in this service. Its log has the details.", true);
    const again = retryable && attempt < maxAttempts;
    const pause = pauses[Math.min(attempt, pauses.length) - 1]!;
    // Not all at the same moment, when one code host was away for many.
    const againInSeconds = again ? pause * (0.9 + Math.random() * 0.2) : null;
    const failed = { code, message, retryable, commit, againInSeconds };
    await failSync(db, orgId, { id, connectorId, holder }, failed);
    return again ? "retried" : "failed";
  } catch (trouble) {
    // The lease runs out, and another worker finds it.
    log.warn({ syncId: id, err: trouble }, "connector sync left to its lease");
    return "lease_lost";
  }
}
