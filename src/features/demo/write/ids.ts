import type { MemberId, OrgId, UserId } from "../../../platform/context.ts";
import { newIdAt } from "../../../platform/ids.ts";
import type { Plan } from "../plan/index.ts";

/** Makes ids for the plan. Each contains its planned time, because lists sort by id. */
export function createIds(plan: Plan) {
  const { people, teams, runners, automations, runs, repository, fleet, providers } = plan;
  const createIdMap = <T, Name extends string>(
    items: readonly T[],
    prefix: Name,
    key: (item: T) => string,
    at: (item: T) => number,
  ) => new Map(items.map((item) => [key(item), newIdAt(prefix, at(item))]));
  const users = createIdMap(
    people,
    "usr",
    ({ key }) => key,
    ({ joinedAt }) => joinedAt,
  );
  const members = createIdMap(
    people,
    "mem",
    ({ key }) => key,
    ({ joinedAt }) => joinedAt,
  );
  const sessions = createIdMap(
    people,
    "ses",
    ({ key }) => key,
    ({ joinedAt }) => joinedAt,
  );
  const invitations = createIdMap(
    people,
    "inv",
    ({ key }) => key,
    ({ joinedAt }) => invitationSentAt(joinedAt),
  );
  const teamIds = createIdMap(
    teams,
    "team",
    ({ name }) => name,
    ({ createdAt }) => createdAt,
  );
  const runnerIds = createIdMap(
    runners,
    "rnr",
    ({ key }) => key,
    ({ createdAt }) => createdAt,
  );
  const automationIds = createIdMap(
    automations,
    "aut",
    ({ key }) => key,
    ({ revisions }) => revisions[0]!.at,
  );
  const workerIds = createIdMap(
    fleet.workers,
    "wrk",
    ({ key }) => key,
    ({ createdAt }) => createdAt,
  );
  const registrationTokenIds = createIdMap(
    fleet.tokens,
    "wrt",
    ({ key }) => key,
    ({ createdAt }) => createdAt,
  );
  const providerIds = createIdMap(
    providers,
    "llp",
    ({ key }) => key,
    ({ createdAt }) => createdAt,
  );
  const connectionIds = createIdMap(
    plan.connections,
    "ocn",
    ({ key }) => key,
    ({ connectedAt }) => connectedAt,
  );
  const serverIds = createIdMap(
    plan.mcp.servers,
    "mcn",
    ({ key }) => key,
    ({ savedAt }) => savedAt,
  );
  const createLookup =
    <Id>(map: ReadonlyMap<string, Id>) =>
    (key: string): Id => {
      const id = map.get(key);
      if (id === undefined) throw new Error(`The plan has no ${key}.`);
      return id;
    };
  return {
    organization: newIdAt("org", plan.start) satisfies OrgId,
    user: createLookup<UserId>(users),
    member: createLookup<MemberId>(members),
    session: createLookup(sessions),
    invitation: createLookup(invitations),
    unansweredInvitation: {
      expired: newIdAt("inv", plan.unansweredAt.expired),
      cancelled: newIdAt("inv", plan.unansweredAt.cancelled),
    },
    openInvitation: newIdAt("inv", plan.invitedAt),
    team: createLookup(teamIds),
    role: newIdAt("role", plan.roleAt),
    runner: createLookup(runnerIds),
    automation: createLookup(automationIds),
    runs: runs.map(({ createdAt }) => newIdAt("run", createdAt)),
    worker: createLookup(workerIds),
    registrationToken: createLookup(registrationTokenIds),
    rollout: newIdAt("wro", fleet.rollout.createdAt),
    provider: createLookup(providerIds),
    providerKeys: new Map(
      providers.map(({ key, keys }) => [key, keys.map(({ createdAt }) => newIdAt("llk", createdAt))]),
    ),
    limits: plan.limits.map(({ createdAt }) => newIdAt("lbg", createdAt)),
    otherConnection: createLookup(connectionIds),
    mcpServer: createLookup(serverIds),
    mcpClients: plan.mcp.clients.map(({ at }) => newIdAt("mcg", at)),
    key: newIdAt("key", plan.keyAt),
    reportKey: newIdAt("key", plan.reportKeyAt),
    mcpToken: newIdAt("mcp", plan.mcpTokenAt),
    connector: newIdAt("con", repository.createdAt),
    syncs: repository.syncs.map(({ createdAt }) => newIdAt("syn", createdAt)),
    deliveries: repository.deliveries.map(({ receivedAt }) => newIdAt("whd", receivedAt)),
    credentials: newIdAt("ocr", plan.connection.clientAt),
    token: newIdAt("otk", plan.connection.connectedAt),
    connection: newIdAt("ocn", plan.connection.connectedAt),
  };
}
export type Ids = ReturnType<typeof createIds>;

/** Each invitation is sent some minutes before the person joins. */
export const invitationSentAt = (joinedAt: number): number => joinedAt - 14 * 60_000;
