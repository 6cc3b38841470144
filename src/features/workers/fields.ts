import type { FieldGuide } from "../../platform/http/index.ts";

const at = 1_793_611_800_000;
const worker = "wrk_01jz8q2d9xf4vvh0tbq8k3m5na";
const upgradeId = "wup_01jz8q2d9xf4vvh0tbq8k3m5na";
const rolloutId = "wro_01jz8q2d9xf4vvh0tbq8k3m5na";
const registrationId = "wrt_01jz8q2d9xf4vvh0tbq8k3m5na";
const templateId = "tpl_01jz8q2d9xf4vvh0tbq8k3m5na";
const connectionId = "ocn_01jz8q2d9xf4vvh0tbq8k3m5na";
const token = "sbw_4fQ2xzV7nB1kTjRw0pYcLmE9aHsGdUoI3e5t";
const registrationSecret = "sbg_4fQ2xzV7nB1kTjRw0pYcLmE9aHsGdUoI3e5t";

const tokenExample = {
  id: "wkt_01jz8q2d9xf4vvh0tbq8k3m5na",
  start: "sbw_4fQ2xz",
  expiresAt: null,
  createdAt: at,
};

const workerExample = {
  id: worker,
  name: "build-1",
  kind: "remote",
  labels: ["gpu", "linux"],
  state: "idle",
  liveness: "alive",
  reachability: "reachable",
  freshness: "current",
  skew: "current",
  version: "0.1.0",
  desiredVersion: "0.1.0",
  runIds: [],
  lastSeenAt: at,
  unseenSeconds: 4,
  removedAt: at + 14 * 24 * 3600_000,
  pause: null,
  drainRequestedAt: null,
  ownerId: "mem_01jz8q2d9xf4vvh0tbq8k3m5na",
  registrationTokenId: null,
  templateIds: [templateId],
  connectionIds: [],
  llmProviderIds: [],
  mcpConnectionIds: [],
  configuration: null,
  configurationRevision: 0,
  createdAt: at,
  updatedAt: at,
};

const desired = { configurationRevision: 0, paused: false, drain: false };

const runtime = {
  version: "0.1.0",
  apiVersion: 1,
  platform: "linux",
  arch: "arm64",
  capabilities: ["runner"],
  limits: { concurrency: 4 },
  services: [{ name: "runner", status: "healthy" }],
  health: "healthy",
  configurationRevision: null,
  desiredVersion: null,
  desiredConfigurationRevision: 0,
  drift: false,
  skew: "current",
  freshness: "current",
  reportedAt: at,
};

const upgrade = {
  id: upgradeId,
  workerId: worker,
  rolloutId: null,
  version: "0.2.0",
  fromVersion: "0.1.0",
  state: "requested",
  reason: null,
  deadlineAt: at + 3600_000,
  createdAt: at,
  acknowledgedAt: null,
  drainingAt: null,
  endedAt: null,
};

const counts = { matching: 40, selected: 4, upgraded: 3, failed: 0, open: 1 };
const rollout = {
  id: rolloutId,
  version: "0.2.0",
  percent: 10,
  labels: ["linux"],
  deadlineSeconds: 3600,
  counts,
  endedAt: null,
  createdAt: at,
  updatedAt: at,
};

const registrationToken = {
  id: registrationId,
  name: "Build machines",
  kind: "remote",
  labels: ["linux"],
  templateIds: [],
  connectionIds: [],
  mcpConnectionIds: [],
  llmProviderIds: [],
  ownerId: "mem_01jz8q2d9xf4vvh0tbq8k3m5na",
  uses: 3,
  maxUses: 20,
  expiresAt: null,
  secrets: [{ start: "sbg_4fQ2xz", expiresAt: null, createdAt: at }],
  createdAt: at,
};

const secondsExample = 14.6;

/** Fields of workers, their runtime, upgrades and timelines. */
export const fields: FieldGuide = {
  Worker: ["A worker.", workerExample],
  WorkerToken: ["A token of a worker, without its secret.", tokenExample],
  WorkerDesired: ["What the server wants of the worker.", desired],
  WorkerRuntime: ["What the worker reported last.", runtime],
  WorkerService: ["A service that the worker depends on.", { name: "runner", status: "healthy" }],
  WorkerUpgrade: ["An upgrade of one worker.", upgrade],
  WorkerRollout: ["An upgrade of a share of the workers.", rollout],
  WorkerRolloutCounts: ["How far it is.", counts],
  WorkerRegistrationToken: ["A registration token, without its secret.", registrationToken],
  WorkerActivity: [
    "An entry of the timeline.",
    {
      id: "wac_01jz8q2d9xf4vvh0tbq8k3m5na",
      type: "state_changed",
      detail: { from: "idle", to: "stale" },
      at,
    },
  ],
  WorkerTemplate: [
    "A template.",
    { id: templateId, slug: "review", name: "Review", version: 3, body: "Review the change." },
  ],
  WorkerAssignments: [
    "What the worker was given.",
    {
      templates: [{ id: templateId, slug: "review", name: "Review", version: 3 }],
      connections: [{ id: connectionId, providerId: "github", account: "default" }],
      llmProviders: [{ id: "llp_01jz8q2d9xf4vvh0tbq8k3m5na", kind: "openai", name: "OpenAI" }],
    },
  ],
  worker: ["The worker.", workerExample],
  runtime: ["What the worker reported last, beside what is desired.", runtime],
  desired: ["What the server wants of the worker.", desired],
  upgrade: ["The upgrade.", upgrade],
  rollout: ["The rollout.", rollout],
  registrationToken: ["The registration token.", registrationToken],
  upgradeId: ["The upgrade.", upgradeId],
  desiredVersion: ["The version it should run. Null: any.", "0.2.0"],
  desiredConfigurationRevision: ["The configuration it should use.", 0],
  "getV1WorkersById.tokens": ["Tokens that are valid now, newest first.", [tokenExample]],
  "getV1WorkersByIdTemplatesByTemplateId.template": ["The template."],
  "getV1Workers.label": ["Only workers with this label.", "linux"],
  "getV1Workers.kind": ["Only workers of this kind.", "remote"],
  "postV1Workers.token": ["The token, shown once.", token],
  "postV1WorkersByIdTokens.token": ["The token, shown once.", token],
  "postV1WorkersRegister.token": ["The token of the worker, shown once.", token],
  "postV1WorkersByIdRunnerToken.token": [
    "The token of the runner.",
    "sbr_4fQ2xzV7nB1kTjRw0pYcLmE9aHsGdUoI3e5t",
  ],
  "postV1WorkerRegistrationTokens.token": ["The registration token, shown once.", registrationSecret],
  "postV1WorkerRegistrationTokensByIdRotate.token": ["The new secret, shown once.", registrationSecret],
  "postV1WorkersByIdActivityHeartbeat.nextHeartbeatSeconds": [
    "When the next heartbeat is due.",
    secondsExample,
  ],
  "putV1WorkersByIdRuntime.workerId": ["The worker that the token is for.", worker],
  "putV1WorkersByIdRuntime.nextHeartbeatSeconds": ["When the next heartbeat is due.", secondsExample],
  "postV1Workers request": [
    "A whole example.",
    { name: "build-1", kind: "remote", labels: ["linux", "gpu"], templateIds: [templateId] },
  ],
  "patchV1WorkersById request": ["A whole example.", { name: "build-2", labels: ["linux"] }],
  "postV1WorkersByIdPause request": ["A whole example.", { note: "The disk is being replaced." }],
  "postV1WorkerRegistrationTokens request": [
    "A whole example.",
    { name: "Build machines", kind: "remote", labels: ["linux"], maxUses: 20 },
  ],
  "postV1WorkersRegister request": [
    "A whole example.",
    { instanceId: "i-0f3a9c42", name: "build-1", labels: ["gpu"] },
  ],
  "putV1WorkersByIdRuntime request": [
    "A whole example.",
    {
      version: "0.1.0",
      apiVersion: 1,
      platform: "linux",
      arch: "arm64",
      capabilities: ["runner"],
      limits: { concurrency: 4 },
      services: [{ name: "runner", status: "healthy" }],
    },
  ],
  "postV1WorkersByIdRuntimeUpgrade request": ["A whole example.", { version: "0.2.0" }],
  "patchV1WorkersByIdRuntimeUpgrade request": ["A whole example.", { upgradeId, state: "draining" }],
  "postV1WorkerRollouts request": ["A whole example.", { version: "0.2.0", percent: 10, labels: ["linux"] }],
  "patchV1WorkerRolloutsById request": ["A whole example.", { percent: 50 }],
  "postV1WorkersByIdActivityHeartbeat request": [
    "A whole example.",
    { sequence: 42, at, status: "idle", runIds: [] },
  ],
  "Worker.labels": ["Words to find and select workers by.", ["gpu", "linux"]],
  "Worker.lastSeenAt": ["The time of its last heartbeat or report. Null: never seen.", at],
  "Worker.pause.note": ["Why it is paused.", "The disk is being replaced."],
  "Worker.pause.until": ["When it resumes by itself. Null: when somebody resumes it.", null],
  "Worker.drainRequestedAt": ["When it was asked to stop. Null: it was not asked.", null],
  "Worker.registrationTokenId": [
    "The registration token that it registered with. Null: registered by a person.",
    null,
  ],
  "Worker.llmProviderIds": ["The LLM providers that it may use.", []],
  "WorkerRegistrationToken.mcpConnectionIds": [
    "The only MCP connections that runs on its workers can use. Empty: no limit.",
    [],
  ],
  "WorkerRegistrationToken.llmProviderIds": ["LLM providers of the workers that register with it.", []],
  "Worker.mcpConnectionIds": [
    "The only MCP connections that its runs can use. Empty: no limit of its own. A connection that was deleted stays in the list.",
    [],
  ],
  "Worker.configuration": ["The configuration it should use. Null: its own.", null],
  "Worker.configurationRevision": ["Grows with each change of the configuration.", 0],
  "postV1Workers.configuration": ["The configuration it should use.", { concurrency: 4 }],
  "WorkerAssignments.templates": [
    "The templates.",
    [{ id: templateId, slug: "review", name: "Review", version: 3 }],
  ],
  "WorkerRegistrationToken.labels": ["Labels of the workers that register with it.", ["linux"]],
  "WorkerRollout.percent": ["The share of the workers.", 10],
  "WorkerRollout.labels": ["Only workers with all of these labels.", ["linux"]],
  "WorkerRollout.deadlineSeconds": ["How long a worker has for its upgrade.", 3600],
  "WorkerRollout.counts": ["How far it is.", counts],
  "WorkerRolloutCounts.upgraded": ["Workers that run the version.", 3],
  "WorkerRuntime.arch": ["The processor architecture.", "arm64"],
  "WorkerRuntime.capabilities": ["What it can do.", ["runner"]],
  "WorkerRuntime.services": ["The health of what it depends on.", [{ name: "runner", status: "healthy" }]],
  "WorkerRuntime.freshness": ["Whether it runs what it should.", "current"],
  "WorkerUpgrade.workerId": ["The worker.", worker],
  "WorkerUpgrade.deadlineAt": ["When it times out.", at + 3600_000],
  "WorkerUpgrade.acknowledgedAt": ["When the worker read it. Null: not yet.", null],
  "WorkerUpgrade.drainingAt": ["When the worker stopped taking runs for it. Null: not yet.", null],
  "/v1/workers/{id}": ["The worker. With a worker token also `self`.", worker],
  "/v1/workers/{id}/templates/{templateId}": ["The template.", templateId],
  "/v1/workers/{id}/connections/{connectionId}": ["The connection.", connectionId],
  "/v1/worker-registration-tokens/{id}": ["The registration token.", registrationId],
  "/v1/worker-rollouts/{id}": ["The rollout.", rolloutId],
};
