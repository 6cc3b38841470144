import type { Calendar } from "./calendar.ts";
import type { PlannedRun } from "./types.ts";

const minuteMs = 60_000;

export const workerVersions = { current: "1.8.2", earlier: "1.7.4" } as const;

type WorkerState = "never_connected" | "busy" | "idle" | "draining" | "stale" | "lost" | "stopped" | "paused";

export interface PlannedUpgrade {
  requestedAt: number;
  /** Null when the worker ran the version already. */
  acknowledgedAt: number | null;
  endedAt: number;
  state: "upgraded" | "failed";
  reason: string | null;
}

export interface PlannedActivity {
  at: number;
  type: "registered" | "state_changed" | "paused" | "drain_requested" | "version_changed" | "upgrade_changed";
  detail: Record<string, unknown>;
}

export interface PlannedWorker {
  key: string;
  name: string;
  kind: "local" | "remote" | "ephemeral";
  labels: string[];
  owner: string;
  createdAt: number;
  state: WorkerState;
  /** What its last heartbeat said. */
  status: "online" | "busy" | "idle" | "draining" | "stopped";
  /** How long ago it was last seen. 0: it is seen all the time. Null: it was never seen. */
  unseenMs: number | null;
  stateSince: number;
  /** Null before its first report. */
  version: string | null;
  platform: string;
  arch: string;
  concurrency: number;
  services: { name: string; status: "healthy" | "degraded" | "failing"; message?: string }[];
  pause: { at: number; note: string } | null;
  drainRequestedAt: number | null;
  upgrade: PlannedUpgrade | null;
  activity: PlannedActivity[];
}

/** Plans workers in every state, two registration tokens, and a rollout that failed on one worker. */
export function planWorkers(calendar: Calendar, runs: readonly PlannedRun[]) {
  const { at, now } = calendar;
  const tokenAt = at(0, "10:05");
  const rollout = { createdAt: at(-6, "10:15"), widenedAt: at(-5, "09:40"), firstPercent: 25 };
  const remote = { kind: "remote", owner: "bruno", platform: "linux", arch: "x64", concurrency: 4 } as const;
  const runner = { name: "runner", status: "healthy" } as const;
  const usual = {
    ...{ ...remote, labels: ["linux"], unseenMs: 0, version: workerVersions.current, services: [runner] },
    ...{ pause: null, drainRequestedAt: null, upgrade: null, activity: [] },
  };
  const upgraded = (from: number, seconds: number): PlannedUpgrade => ({
    requestedAt: from,
    acknowledgedAt: from + 9_000,
    endedAt: from + seconds * 1000,
    state: "upgraded",
    reason: null,
  });
  const { createdAt: firstRing, widenedAt: secondRing } = rollout;
  const pausedAt = at(-2, "14:20");
  const drainedAt = now - 4 * minuteMs;
  const spotAt = now - 190 * minuteMs;
  const spotStoppedAt = now - 65 * minuteMs;
  const live = runs.find(({ status }) => status === "running")!;
  const workers: PlannedWorker[] = [
    {
      ...{ ...usual, key: "build-1", name: "build-1", createdAt: tokenAt + 3 * minuteMs },
      ...{ state: "busy", status: "busy", stateSince: live.startedAt! },
      upgrade: upgraded(secondRing, 74),
    },
    {
      ...{ ...usual, key: "build-2", name: "build-2", createdAt: tokenAt + 4 * minuteMs },
      ...{ state: "idle", status: "idle", stateSince: now - 31 * minuteMs },
      upgrade: upgraded(firstRing, 96),
    },
    {
      ...{ ...usual, key: "build-3", name: "build-3", createdAt: at(3, "11:12") },
      ...{ state: "draining", status: "draining", stateSince: drainedAt, drainRequestedAt: drainedAt },
      upgrade: upgraded(secondRing, 82),
    },
    {
      ...{ ...usual, key: "build-4", name: "build-4", createdAt: at(3, "11:15") },
      ...{ state: "paused", status: "idle", stateSince: pausedAt },
      pause: { at: pausedAt, note: "Its disk is being replaced. Ask Bruno before you resume it." },
      upgrade: upgraded(secondRing, 88),
    },
    {
      ...{ ...usual, key: "gpu-1", name: "gpu-1", labels: ["gpu", "linux"], createdAt: at(2, "15:31") },
      ...{ state: "idle", status: "idle", stateSince: now - 47 * minuteMs, concurrency: 1, arch: "arm64" },
      version: workerVersions.earlier,
      services: [
        runner,
        { name: "disk", status: "degraded", message: "93 % of /var/lib/signalbox-worker is used." },
      ],
      upgrade: {
        ...{ requestedAt: secondRing, acknowledgedAt: secondRing + 11_000, endedAt: secondRing + 61_000 },
        ...{ state: "failed", reason: "The upgrade command ended with 1: no space left on device" },
      },
    },
    {
      ...{ ...usual, key: "qa-bench", name: "qa-bench", labels: ["bench", "linux"], owner: "elif" },
      ...{ createdAt: at(5, "13:05"), unseenMs: 70_000, arch: "arm64", concurrency: 1 },
      ...{ state: "stale", status: "idle", stateSince: now - 25_000 },
      upgrade: upgraded(firstRing, 131),
    },
    {
      ...{ ...usual, key: "laptop", name: "dev-laptop", kind: "local", labels: ["macos"], owner: "dev" },
      ...{ createdAt: at(2, "10:28"), platform: "darwin", arch: "arm64", concurrency: 1 },
      ...{ version: workerVersions.earlier, status: "idle", state: "lost" },
      ...{ unseenMs: now - at(-4, "18:02"), stateSince: at(-4, "18:05") },
    },
    {
      ...{ ...usual, key: "spot", name: "spot-7f3a", kind: "ephemeral", labels: ["linux", "spot"] },
      ...{ createdAt: spotAt, unseenMs: now - spotStoppedAt },
      ...{ state: "stopped", status: "stopped", stateSince: spotStoppedAt },
      upgrade: {
        ...{ requestedAt: spotAt + 60_000, acknowledgedAt: null, endedAt: spotAt + 60_000 },
        ...{ state: "upgraded", reason: null },
      },
    },
    {
      ...{ ...usual, key: "build-5", name: "build-5", createdAt: now - 26 * minuteMs, unseenMs: null },
      ...{ state: "never_connected", status: "online", stateSince: now - 26 * minuteMs },
      ...{ version: null, services: [] },
    },
  ];
  for (const worker of workers) worker.activity = planActivity(worker, runs, now);
  const tokens = [
    { key: "servers", name: "Build machines", kind: "remote", labels: ["linux"], maxUses: 20 },
    { key: "spot", name: "Spot instances", kind: "ephemeral", labels: ["linux", "spot"], maxUses: null },
  ].map((token, index) => ({ ...token, createdAt: tokenAt + index * minuteMs }));
  return { workers, tokens, rollout };
}

/** How far the timeline of runs goes back. Activity is kept for 30 days. */
const timelineMs = 5 * 24 * 60 * minuteMs;

function planActivity(worker: PlannedWorker, runs: readonly PlannedRun[], now: number): PlannedActivity[] {
  const { key, kind, createdAt, upgrade, pause, drainRequestedAt, state, stateSince, version } = worker;
  const entries: PlannedActivity[] = [{ at: createdAt, type: "registered", detail: { kind } }];
  const add = (at: number, type: PlannedActivity["type"], detail: Record<string, unknown> = {}) =>
    entries.push({ at, type, detail });
  if (version === null) return entries;
  const first = upgrade?.acknowledgedAt ? workerVersions.earlier : version;
  add(createdAt + 40_000, "version_changed", { from: null, to: first });
  const changes = [{ at: createdAt + 50_000, to: "idle" }];
  for (const { at, to } of listBusyTimes(key, runs, now)) changes.push({ at, to });
  if (upgrade) {
    const about = { version: workerVersions.current };
    add(upgrade.requestedAt, "upgrade_changed", { ...about, state: "requested" });
    if (upgrade.acknowledgedAt) {
      add(upgrade.acknowledgedAt, "upgrade_changed", { ...about, state: "acknowledged" });
      add(upgrade.acknowledgedAt + 2_000, "upgrade_changed", { ...about, state: "draining" });
      if (upgrade.state === "upgraded")
        add(upgrade.endedAt, "version_changed", { from: first, to: workerVersions.current });
    }
    const why = upgrade.reason === null ? {} : { reason: upgrade.reason };
    add(upgrade.endedAt + 1, "upgrade_changed", { ...about, state: upgrade.state, ...why });
  }
  if (pause) add(pause.at - 900, "paused", { note: pause.note, until: null });
  if (drainRequestedAt) add(drainRequestedAt - 900, "drain_requested");
  if (state === "lost") changes.push({ at: stateSince - 135_000, to: "stale" });
  const earlier = changes.filter(({ at }) => at < stateSince).sort((a, b) => a.at - b.at);
  let from = "never_connected";
  for (const { at, to } of [...earlier, { at: stateSince, to: state }]) {
    if (to !== from) add(at, "state_changed", { from, to });
    from = to;
  }
  return entries.sort((a, b) => a.at - b.at);
}

/** When the runs that its runner did began and ended. Overlapping runs count as one. */
function listBusyTimes(key: string, runs: readonly PlannedRun[], now: number) {
  const times = runs
    .flatMap(({ attempts }) => attempts)
    .filter(({ runner, startedAt, endedAt }) => runner === key && endedAt && startedAt > now - timelineMs)
    .map(({ startedAt, endedAt }) => ({ from: startedAt, to: endedAt! }))
    .sort((a, b) => a.from - b.from);
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of times) {
    const last = merged.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged.flatMap(({ from, to }) => [
    { at: from, to: "busy" },
    { at: to, to: "idle" },
  ]);
}
