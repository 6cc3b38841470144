import type { MemberId, OrgId, UserId } from "../../../platform/context.ts";
import { newIdAt } from "../../../platform/ids.ts";
import type { Plan } from "../plan/index.ts";

/** Makes ids for the plan. Each contains its planned time, because lists sort by id. */
export function makeIds(plan: Plan) {
  const { people, teams, runners, automations, runs, repository } = plan;
  const byKey = <T, Name extends string>(
    items: readonly T[],
    prefix: Name,
    key: (item: T) => string,
    at: (item: T) => number,
  ) => new Map(items.map((item) => [key(item), newIdAt(prefix, at(item))]));
  const users = byKey(
    people,
    "usr",
    ({ key }) => key,
    ({ joinedAt }) => joinedAt,
  );
  const members = byKey(
    people,
    "mem",
    ({ key }) => key,
    ({ joinedAt }) => joinedAt,
  );
  const sessions = byKey(
    people,
    "ses",
    ({ key }) => key,
    ({ joinedAt }) => joinedAt,
  );
  const invitations = byKey(
    people,
    "inv",
    ({ key }) => key,
    ({ joinedAt }) => invitationSentAt(joinedAt),
  );
  const teamIds = byKey(
    teams,
    "team",
    ({ name }) => name,
    ({ createdAt }) => createdAt,
  );
  const runnerIds = byKey(
    runners,
    "rnr",
    ({ key }) => key,
    ({ createdAt }) => createdAt,
  );
  const automationIds = byKey(
    automations,
    "aut",
    ({ key }) => key,
    ({ revisions }) => revisions[0]!.at,
  );
  const of =
    <Id>(map: ReadonlyMap<string, Id>) =>
    (key: string): Id => {
      const id = map.get(key);
      if (id === undefined) throw new Error(`The plan has no ${key}.`);
      return id;
    };
  return {
    organization: newIdAt("org", plan.start) satisfies OrgId,
    user: of<UserId>(users),
    member: of<MemberId>(members),
    session: of(sessions),
    invitation: of(invitations),
    openInvitation: newIdAt("inv", plan.invitedAt),
    team: of(teamIds),
    role: newIdAt("role", plan.roleAt),
    runner: of(runnerIds),
    automation: of(automationIds),
    runs: runs.map(({ createdAt }) => newIdAt("run", createdAt)),
    key: newIdAt("key", plan.keyAt),
    mcpToken: newIdAt("mcp", plan.mcpTokenAt),
    connector: newIdAt("con", repository.createdAt),
    syncs: repository.syncs.map(({ createdAt }) => newIdAt("syn", createdAt)),
    deliveries: repository.deliveries.map(({ receivedAt }) => newIdAt("whd", receivedAt)),
    credentials: newIdAt("ocr", plan.connection.clientAt),
    token: newIdAt("otk", plan.connection.connectedAt),
    connection: newIdAt("ocn", plan.connection.connectedAt),
  };
}
export type Ids = ReturnType<typeof makeIds>;

/** Each invitation is sent some minutes before the person joins. */
export const invitationSentAt = (joinedAt: number): number => joinedAt - 14 * 60_000;
