import type { Db } from "../../../platform/db/index.ts";
import { newIdAt } from "../../../platform/ids.ts";
import { hashSecret, newToken } from "../../../platform/secrets.ts";
import { type Plan, type PlannedWorker, workerVersions } from "../plan/index.ts";
import { insertRows } from "../store.ts";
import type { Ids } from "./ids.ts";

const formatDate = (ms: number) => new Date(ms).toISOString();
const formatOptional = (ms: number | null) => (ms === null ? null : formatDate(ms));

/** No process sends heartbeats for the demo, so its living workers count as seen for so long. */
const seenForMs = 30 * 24 * 3600_000;
const permissions = ["automations:create", "automations:manage", "connections:use", "templates:read"];
/** The sweep announces neither that a worker is lost nor that it will be removed. */
const allNotices = 2;
const deadlineSeconds = 3600;

export async function writeWorkers(tx: Db, { fleet, runs }: Plan, ids: Ids): Promise<void> {
  const { workers, tokens, rollout } = fleet;
  const org = ids.organization;
  const bruno = ids.member("bruno");
  const created = (at: number) => ({ created_at: formatDate(at) });
  const uses = (key: string) => workers.filter((worker) => registeredWith(worker) === key).length;
  await insertRows(
    tx,
    org,
    "worker_registration_tokens",
    tokens.map(({ key, name, kind, labels, maxUses, createdAt }) => ({
      ...{ id: ids.registrationToken(key), member_id: bruno, name, kind, labels, max_uses: maxUses },
      ...{ runner_permissions: permissions, uses: uses(key), ...created(createdAt) },
    })),
  );
  await insertRows(
    tx,
    org,
    "worker_registration_secrets",
    tokens.map(({ key, createdAt }) => ({
      ...{ ...createSecret("sbg_"), token_id: ids.registrationToken(key), ...created(createdAt) },
    })),
  );
  await insertRows(
    tx,
    org,
    "workers",
    workers.map((worker) => workerRow(worker, ids)),
  );
  await insertRows(
    tx,
    org,
    "worker_tokens",
    workers.map(({ key, createdAt }) => ({
      ...{ id: newIdAt("wkt", createdAt), worker_id: ids.worker(key), ...createSecret("sbw_") },
      ...created(createdAt),
    })),
  );
  const runIds = runs.flatMap(({ status }, index) => (status === "running" ? [ids.runs[index]!] : []));
  await insertRows(
    tx,
    org,
    "worker_beats",
    workers.map((worker) => ({
      ...{
        worker_id: ids.worker(worker.key),
        status: worker.status,
        seen_at: formatOptional(findSeenAt(worker)),
      },
      ...{
        sequence: worker.version === null ? -1 : 40_000,
        run_ids: worker.status === "busy" ? runIds.join() : "",
      },
    })),
  );
  await insertRows(
    tx,
    org,
    "worker_states",
    workers.map(({ key, state, stateSince }) => ({
      ...{ worker_id: ids.worker(key), state, since: formatDate(stateSince), notices: allNotices },
    })),
  );
  await insertRows(
    tx,
    org,
    "worker_runtimes",
    workers.filter(({ version }) => version !== null).map((worker) => runtimeRow(worker, ids)),
  );
  await insertRows(tx, org, "worker_rollouts", [
    {
      ...{ id: ids.rollout, version: workerVersions.current, percent: 100, labels: ["linux"] },
      ...{ deadline_seconds: deadlineSeconds, created_by: bruno, ...created(rollout.createdAt) },
      updated_at: formatDate(rollout.widenedAt),
    },
  ]);
  await writeUpgradesAndActivity(tx, workers, ids);
}

async function writeUpgradesAndActivity(tx: Db, workers: readonly PlannedWorker[], ids: Ids): Promise<void> {
  const upgradeIds = new Map<string, string>();
  await insertRows(
    tx,
    ids.organization,
    "worker_upgrades",
    workers.flatMap(({ key, upgrade }) => {
      if (!upgrade) return [];
      const { requestedAt, acknowledgedAt, endedAt, state, reason } = upgrade;
      const id = newIdAt("wup", requestedAt);
      upgradeIds.set(key, id);
      return [
        {
          ...{ id, worker_id: ids.worker(key), rollout_id: ids.rollout, version: workerVersions.current },
          ...{ from_version: acknowledgedAt === null ? workerVersions.current : workerVersions.earlier },
          ...{ state, reason, created_at: formatDate(requestedAt), ended_at: formatDate(endedAt) },
          ...{ acknowledged_at: formatOptional(acknowledgedAt) },
          ...{ draining_at: formatOptional(acknowledgedAt && acknowledgedAt + 2_000) },
          deadline_at: formatDate(requestedAt + deadlineSeconds * 1000),
        },
      ];
    }),
  );
  await insertRows(
    tx,
    ids.organization,
    "worker_activity",
    workers.flatMap(({ key, activity }) =>
      activity.map(({ at, type, detail }) => ({
        ...{ id: newIdAt("wac", at), worker_id: ids.worker(key), type, at: formatDate(at) },
        detail: type === "upgrade_changed" ? { upgradeId: upgradeIds.get(key), ...detail } : detail,
      })),
    ),
  );
}

/** A secret that nobody knows. */
function createSecret(prefix: string) {
  const token = newToken(prefix);
  return { start: token.slice(0, prefix.length + 6), token_hash: hashSecret(token) };
}

/** The registration token that a worker used. A laptop was registered by its owner. */
export const registeredWith = ({ kind }: PlannedWorker): string | null =>
  kind === "local" ? null : kind === "ephemeral" ? "spot" : "servers";

function workerRow(worker: PlannedWorker, ids: Ids) {
  const { key, name, kind, labels, owner, createdAt, pause, drainRequestedAt, upgrade } = worker;
  const token = registeredWith(worker);
  return {
    ...{ id: ids.worker(key), member_id: ids.member(owner), name, kind, labels },
    ...{ runner_permissions: permissions, instance_id: token && `machine-${key}` },
    registration_token_id: token && ids.registrationToken(token),
    ...{ paused_at: formatOptional(pause?.at ?? null), pause_note: pause?.note ?? null },
    drain_requested_at: formatOptional(drainRequestedAt),
    desired_version: upgrade && workerVersions.current,
    ...{ created_at: formatDate(createdAt), updated_at: formatDate(createdAt) },
  };
}

/** Uses the real clock: the time since the last heartbeat decides the state. */
const findSeenAt = ({ unseenMs }: PlannedWorker): number | null =>
  unseenMs === null ? null : unseenMs === 0 ? Date.now() + seenForMs : Date.now() - unseenMs;

function runtimeRow(
  { key, version, platform, arch, concurrency, services, upgrade, createdAt }: PlannedWorker,
  ids: Ids,
) {
  return {
    ...{ worker_id: ids.worker(key), version, api_version: 1, platform, arch, capabilities: ["runner"] },
    ...{ limits: { concurrency, memoryMb: 16_384 * concurrency }, services, boot_id: `boot-${key}` },
    reported_at: formatDate(upgrade?.endedAt ?? createdAt + 40_000),
  };
}
