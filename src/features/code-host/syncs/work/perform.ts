import { addJitter } from "@signalbox/flow-control";
import type { Platform } from "../../../../platform/context.ts";
import { SandboxError } from "../../../../platform/sandbox/index.ts";
import { recordAsSystem } from "../../../audit/index.ts";
import {
  applyFiles,
  findMaxTemplates,
  listKnownFiles,
  removeOldVersions,
  reserveStorage,
} from "../../../templates/index.ts";
import { Failure, toFailure } from "../../failure.ts";
import { completeTarget, type RepositoryContent, readTarget } from "../../source/index.ts";
import { type Claim, maxAttempts } from "./claim.ts";
import { failSync } from "./failure.ts";
import * as store from "./store.ts";

const renewMs = 15_000;
const maxDurationMs = 5 * 60_000;
/** The part of `maxDurationMs` that unpacking and parsing may take. */
const computeMs = 60_000;
/** Seconds before the second attempt, the third, and so on. */
const retryDelays = [10, 40, 160, 600];

/** Another worker has the sync, or it was removed, so this attempt must not write. */
class LeaseLostError extends Error {}

/** Performs a claimed sync. Never throws: the outcome is recorded on the sync. */
export async function performSync(platform: Platform, claim: Claim, stopping: AbortSignal): Promise<void> {
  const { db, log, metrics } = platform;
  const { id, holder, target } = claim;
  const { orgId } = target;
  const started = performance.now();
  const lost = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal, AbortSignal.timeout(maxDurationMs)]);
  const renewing = setInterval(() => {
    store.renew(db, orgId, id, holder).then(
      (renewed) => renewed === 0 && lost.abort(),
      // The database may be back before the lease ends.
      (error) => log.warn({ syncId: id, err: error }, "sync lease"),
    );
  }, renewMs);
  const progress: { commit: string | null } = { commit: null };
  let outcome = "succeeded";
  try {
    const reading = await readRepository(platform, claim, signal, progress);
    outcome = await applyReading(platform, claim, reading);
  } catch (error) {
    outcome = await recordFailure(platform, claim, error, {
      stopping,
      lost: lost.signal,
      commit: progress.commit,
    });
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

async function readRepository(
  platform: Platform,
  { id, holder, target }: Claim,
  signal: AbortSignal,
  progress: { commit: string | null },
): Promise<RepositoryContent> {
  const known = await listKnownFiles(platform.db, target.orgId, target.id);
  return readTarget(platform, completeTarget(target), {
    signal,
    computeMs,
    known,
    wantsFiles: true,
    async onResolved(commit) {
      progress.commit = commit;
      // Recorded before anything is unpacked: if this process dies, the head that caused it is known.
      await store.recordCommit(platform.db, target.orgId, id, holder, commit);
    },
  });
}

/** Updates the templates, the sync and the connector in one transaction. */
async function applyReading(
  platform: Platform,
  { id, holder, target }: Claim,
  reading: RepositoryContent,
): Promise<string> {
  const { orgId, id: connectorId } = target;
  const { commit, author, files } = reading;
  return platform.db.transaction(async (tx) => {
    const current = await store.lockTarget(tx, orgId, connectorId);
    if (!current || !(await store.lockHeld(tx, orgId, id, holder))) throw new LeaseLostError();
    if (current.status !== "active")
      throw new Failure(
        `connector_${current.status}`,
        current.status === "disabled"
          ? "The connector was disabled while its repository was read."
          : "The code host ended the connection while the repository was read.",
      );
    // The settings changed during the attempt, so the sync is queued again. If another sync is already queued, that
    // one does the work of both.
    if (
      current.cloneUrl !== target.cloneUrl ||
      current.ref !== target.ref ||
      current.folder !== target.folder
    ) {
      await store.release(tx, orgId, id, holder);
      return "released";
    }
    const maxTemplates = await findMaxTemplates(platform, tx, orgId);
    const outcome = await applyFiles(tx, orgId, { connectorId, commit, author }, files, {
      maxTemplates,
      async reserve(writes) {
        const full = await reserveStorage(platform, tx, orgId, writes);
        if (full) throw new Failure("too_large", full.message);
      },
    });
    if (!outcome) {
      throw new Failure(
        "too_many_templates",
        `The organization would have more than ${maxTemplates.toLocaleString("en")} templates (quota templates). Choose a smaller folder, or remove some.`,
      );
    }
    await removeOldVersions(platform, tx, orgId, { connectorId });
    const { added, changed, removed, unchanged } = outcome;
    const problems = [...reading.problems, ...outcome.problems.items];
    const problemCount = reading.problemCount + outcome.problems.count;
    const changes = { added, changed, removed, unchanged };
    await store.setSucceeded(tx, orgId, id, { commit, ...changes, problems, problemCount });
    await store.setSyncedCommit(tx, orgId, connectorId, commit);
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

interface AttemptState {
  stopping: AbortSignal;
  lost: AbortSignal;
  commit: string | null;
}

/** The caller has excluded a stop and a lost lease, so these errors mean that the time limit has passed. */
const isTimeout = (error: unknown) =>
  (error instanceof Error && error.name === "EgressError") ||
  (error instanceof SandboxError && error.kind === "aborted");

async function recordFailure(
  { db, log }: Platform,
  { id, holder, attempt, target: { orgId, id: connectorId } }: Claim,
  error: unknown,
  { stopping, lost, commit }: AttemptState,
): Promise<string> {
  try {
    if (lost.aborted || error instanceof LeaseLostError) return "lease_lost";
    if (stopping.aborted) {
      await store.release(db, orgId, id, holder);
      return "released";
    }
    let failure = toFailure(error);
    if (!failure && isTimeout(error))
      failure = new Failure("unreachable", "Reading the repository took longer than 5 minutes.", true);
    if (!failure) log.error({ syncId: id, connectorId, err: error }, "connector sync failed");
    const { code, message, retryable } =
      failure ?? new Failure("internal_error", "An error in this service. Its log has the details.", true);
    const willRetry = retryable && attempt < maxAttempts;
    const delay = retryDelays[Math.min(attempt, retryDelays.length) - 1]!;
    // Retries are spread, because an outage of one code host affects many connectors.
    const retryInSeconds = willRetry ? addJitter(delay, 0.1) : null;
    const failed = { code, message, retryable, commit, retryInSeconds };
    await failSync(db, orgId, { id, connectorId, holder }, failed);
    return willRetry ? "retried" : "failed";
  } catch (cause) {
    // The lease expires, and another worker takes the sync.
    log.warn({ syncId: id, err: cause }, "connector sync left to its lease");
    return "lease_lost";
  }
}
