import { dayMs } from "../../../platform/days.ts";
import type { Db } from "../../../platform/db/index.ts";
import { newIdAt } from "../../../platform/ids.ts";
import { hashSecret, newToken } from "../../../platform/secrets.ts";
import { financeRole, invitedPerson, organization, type Plan, unansweredInvitations } from "../plan/index.ts";
import { insertRows } from "../store.ts";
import { type Ids, invitationSentAt } from "./ids.ts";

const formatDate = (ms: number) => new Date(ms).toISOString();

/** The hash of a random secret that is not kept. */
const createUnusedHash = () => hashSecret(newToken("none_"));

export const findRoleId = (ids: Ids, role: string): string => (role === financeRole.name ? ids.role : role);

export async function writePeople(tx: Db, plan: Plan, ids: Ids, passwordHash: string): Promise<void> {
  const org = ids.organization;
  const { people, teams, runners, start, roleAt } = plan;
  const times = (at: number) => ({ created_at: formatDate(at), updated_at: formatDate(at) });
  await insertRows(
    tx,
    org,
    "users",
    people.map(({ key, name, email, joinedAt }) => ({
      ...{ id: ids.user(key), name, email, email_verified: true },
      ...times(joinedAt),
    })),
  );
  await insertRows(
    tx,
    org,
    "accounts",
    people.map(({ key, joinedAt }) => ({
      ...{
        id: newIdAt("acc", joinedAt),
        user_id: ids.user(key),
        account_id: ids.user(key),
        provider_id: "credential",
      },
      ...{ password: passwordHash, ...times(joinedAt) },
    })),
  );
  await insertRows(tx, org, "organizations", [{ id: org, ...organization, ...times(start) }]);
  await insertRows(tx, org, "roles", [{ id: ids.role, ...financeRole, ...times(roleAt) }]);
  await insertRows(
    tx,
    org,
    "members",
    people.map(({ key, role, joinedAt }) => ({
      ...{
        id: ids.member(key),
        user_id: ids.user(key),
        role: findRoleId(ids, role),
        created_at: formatDate(joinedAt),
      },
    })),
  );
  await insertRows(
    tx,
    org,
    "teams",
    teams.map(({ name, description, createdAt }) => ({
      id: ids.team(name),
      name,
      description,
      ...times(createdAt),
    })),
  );
  await insertRows(
    tx,
    org,
    "team_members",
    people.map(({ key, team, joinedAt }) => ({
      ...{ team_id: ids.team(team), member_id: ids.member(key) },
      created_at: formatDate(Math.max(joinedAt, plan.roleAt)),
    })),
  );
  const [owner, ...others] = people;
  const invitation = { invited_by: ids.member(owner!.key), inviter_name: owner!.name };
  const sent = (at: number) => ({
    ...{ token_hash: createUnusedHash(), mail_hash: createUnusedHash() },
    ...{ created_at: formatDate(at), sent_at: formatDate(at), expires_at: formatDate(at + 7 * dayMs) },
  });
  await insertRows(tx, org, "invitations", [
    ...others.map(({ key, email, role, team, joinedAt }) => ({
      ...{
        id: ids.invitation(key),
        email,
        role: findRoleId(ids, role),
        team_ids: [ids.team(team)],
        ...invitation,
      },
      ...{ ...sent(invitationSentAt(joinedAt)), accepted_at: formatDate(joinedAt), cancelled_at: null },
    })),
    ...unansweredInvitations.map(({ key, email, role, team }) => ({
      ...{ id: ids.unansweredInvitation[key], email, role, team_ids: [ids.team(team)], ...invitation },
      ...{ ...sent(plan.unansweredAt[key]), accepted_at: null },
      cancelled_at: key === "cancelled" ? formatDate(plan.unansweredAt[key] + 50 * 60_000) : null,
    })),
    {
      ...{
        id: ids.openInvitation,
        email: invitedPerson.email,
        role: invitedPerson.role,
        team_ids: [ids.team(invitedPerson.team)],
      },
      ...{ ...invitation, ...sent(plan.invitedAt), accepted_at: null, cancelled_at: null },
    },
  ]);
  await insertRows(tx, org, "api_keys", [
    {
      ...{
        id: ids.key,
        member_id: ids.member("bruno"),
        name: "build machines",
        start: "sbx_4kTq9w",
        key_hash: createUnusedHash(),
      },
      ...{ permissions: null, expires_at: null },
      ...{ created_at: formatDate(plan.keyAt), last_used_at: formatDate(runners[0]!.lastSeenAt) },
    },
    {
      ...{ id: ids.reportKey, member_id: ids.member("hana"), name: "cost report", start: "sbx_9dVm2e" },
      ...{ key_hash: createUnusedHash(), permissions: ["usage:read"] },
      expires_at: formatDate(plan.reportKeyAt + 90 * dayMs),
      ...{ created_at: formatDate(plan.reportKeyAt), last_used_at: formatDate(plan.invitedAt) },
    },
  ]);
  await insertRows(tx, org, "mcp_tokens", [
    {
      ...{
        id: ids.mcpToken,
        member_id: ids.member("elif"),
        name: "editor",
        start: "sbm_Zr07cn",
        token_hash: createUnusedHash(),
      },
      ...{
        scopes: ["mcp:read"],
        created_at: formatDate(plan.mcpTokenAt),
        expires_at: formatDate(plan.mcpTokenAt + 7 * dayMs),
      },
    },
  ]);
  await insertRows(
    tx,
    org,
    "automation_runners",
    runners.map(({ key, owner, lastSeenAt, createdAt, ...runner }) => ({
      ...{ id: ids.runner(key), member_id: ids.member(owner), ...runner },
      ...{ last_seen_at: formatDate(lastSeenAt), created_at: formatDate(createdAt) },
    })),
  );
}
