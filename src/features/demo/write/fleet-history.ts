import { type Plan, workerVersions } from "../plan/index.ts";
import type { Ids } from "./ids.ts";
import { createPastChange, type PastChange } from "./past-change.ts";
import { registeredWith } from "./workers.ts";

/** The audit entries of workers, LLM providers and connections. */
export const listFleetChanges = (plan: Plan, ids: Ids): PastChange[] => [
  ...listWorkerChanges(plan, ids),
  ...listProviderChanges(plan, ids),
  ...listConnectionChanges(plan, ids),
];

function listWorkerChanges({ fleet }: Plan, ids: Ids): PastChange[] {
  const { workers, tokens, rollout } = fleet;
  const rolloutTarget = { type: "worker_rollout", id: ids.rollout };
  const { current: version } = workerVersions;
  return [
    ...tokens.map(({ key, name, kind, labels, createdAt }) => {
      const target = { type: "worker_registration_token", id: ids.registrationToken(key) };
      const after = { name, kind, labels };
      return createPastChange(createdAt, "bruno", "worker_registration_token.created", target, after);
    }),
    ...workers.flatMap((worker) => {
      const { key, name, kind, labels, owner, createdAt, pause, drainRequestedAt } = worker;
      const target = { type: "worker", id: ids.worker(key) };
      const state = { name, kind, labels, ownerId: ids.member(owner), pause: null, drainRequestedAt: null };
      const by = registeredWith(worker) === null ? owner : undefined;
      const changes = [createPastChange(createdAt, by, "worker.registered", target, state)];
      if (pause) {
        const after = { ...state, pause: { ...pause, until: null } };
        changes.push(createPastChange(pause.at - 900, "bruno", "worker.paused", target, after, state));
      }
      if (drainRequestedAt) {
        const after = { ...state, drainRequestedAt };
        const at = drainRequestedAt - 900;
        changes.push(createPastChange(at, "bruno", "worker.drain_requested", target, after, state));
      }
      return changes;
    }),
    createPastChange(rollout.createdAt, "bruno", "worker_rollout.created", rolloutTarget, {
      ...{ id: ids.rollout, version, percent: rollout.firstPercent, labels: ["linux"] },
    }),
    createPastChange(
      rollout.widenedAt,
      "bruno",
      "worker_rollout.widened",
      rolloutTarget,
      { percent: 100 },
      { percent: rollout.firstPercent },
    ),
  ];
}

function listProviderChanges({ providers, limits }: Plan, ids: Ids): PastChange[] {
  return [
    ...providers.flatMap(({ key, name, baseUrl, models, createdAt, keys, grants }) => {
      const target = { type: "llm_provider", id: ids.provider(key) };
      const state = { kind: "openai_compatible", name, baseUrl, models, enabled: true };
      const granted = grants.filter(({ kind }) => kind !== "worker").map(({ kind }) => ({ kind }));
      return [
        createPastChange(createdAt, "bruno", "llm_provider.created", target, state),
        createPastChange(createdAt + 60_000, "bruno", "llm_provider.access_changed", target, {
          grants: granted,
        }),
        ...keys.map(({ name: keyName, tail, createdAt: at }, place) => {
          const keyId = ids.providerKeys.get(key)![place]!;
          const action = keys[place - 1]?.retiresInMs ? "llm_provider.key_rotated" : "llm_provider.key_added";
          return createPastChange(at, "bruno", action, target, { keyId, name: keyName, tail });
        }),
      ];
    }),
    ...limits.map(({ kind, subject, period, mode, limitMicros, warningPercent, createdAt }, index) =>
      createPastChange(
        createdAt,
        "ada",
        "llm_budget.created",
        { type: "llm_budget", id: ids.limits[index]! },
        { subject: { kind, name: subject }, period, mode, limitMicros, warningPercent },
      ),
    ),
  ];
}

function listConnectionChanges({ connections }: Plan, ids: Ids): PastChange[] {
  return connections.flatMap(({ key, providerId, member, clientAt, connectedAt, ended }) => {
    const about = { type: "oauth_connection", id: ids.otherConnection(key) };
    const saved = { providerId, clientId: `northwind-${key}`, authMethod: "none", newSecret: false };
    const changes = [
      createPastChange(
        clientAt,
        "bruno",
        "oauth_client.saved",
        { type: "oauth_provider", id: providerId },
        saved,
      ),
      createPastChange(connectedAt, member, "oauth_connection.connected", about, {
        providerId,
        account: "default",
      }),
    ];
    if (ended)
      changes.push(
        createPastChange(ended.at, ended.by, "oauth_connection.disconnected", about, { providerId }),
      );
    return changes;
  });
}
