import type { Db } from "../../../platform/db/index.ts";
import { type Change, recordPast } from "../../audit/index.ts";
import { defaultSettings } from "../../automations/index.ts";
import {
  financeRole,
  invited,
  organization,
  type Plan,
  type PlannedAutomation,
  target,
} from "../plan/index.ts";
import type { NamedResources } from "../store.ts";
import { settingsOf } from "./automations.ts";
import { clientId, providerId } from "./connection.ts";
import { type Ids, invitationSentAt } from "./ids.ts";
import { roleOf } from "./people.ts";
import type { Synced } from "./repository.ts";
import { whoIs } from "./who.ts";

interface Moment {
  at: number;
  /** The key of the person. Undefined when the service made the change. */
  by: string | undefined;
  change: Change;
}

const dayMs = 24 * 3600_000;

/** Writes the audit log of the demo, in chronological order. */
export async function writeHistory(
  tx: Db,
  plan: Plan,
  ids: Ids,
  synced: Synced,
  named: readonly NamedResources[],
): Promise<void> {
  const moments = [
    ...ofPeople(plan, ids),
    ...ofAutomations(plan, ids, named),
    ...ofRuns(plan, ids),
    ...ofRepository(plan, ids, synced),
    ...ofConnection(plan, ids),
  ].sort((a, b) => a.at - b.at);
  let last = 0;
  for (const { at, by, change } of moments) {
    // Ids contain the time in milliseconds, so each entry needs its own millisecond.
    last = Math.max(at, last + 1);
    await recordPast(tx, ids.organization, last, by ? whoIs(plan.people, ids, by, last) : {}, change);
  }
}

const moment = (
  at: number,
  by: string | undefined,
  action: Change["action"],
  target: Change["target"],
  after?: Change["after"],
  before?: Change["before"],
): Moment => ({ at, by, change: { action, target, after, before } });

function ofPeople(plan: Plan, ids: Ids): Moment[] {
  const { start, roleAt, people, teams, runners } = plan;
  const times = (at: number) => ({ createdAt: at, updatedAt: at });
  const [owner, ...others] = people;
  const invitation = (
    id: string,
    email: string,
    role: string,
    roleName: string,
    team: string,
    at: number,
  ) => ({
    ...{ id, email, role, roleName, teamIds: [ids.team(team)], status: "pending" },
    ...{ invitedBy: ids.member(owner!.key), inviterName: owner!.name },
    ...{ expiresAt: at + 7 * dayMs, sentAt: at, createdAt: at },
  });
  const nameOf = (role: string) => role[0]!.toUpperCase() + role.slice(1);
  return [
    moment(
      start,
      "ada",
      "organization.created",
      { type: "organization", id: ids.organization },
      {
        ...{ id: ids.organization, ...organization, allowedEmailDomains: [], sessionMaxAgeMinutes: null },
        ...{ requireSso: false, provisionalUntil: null, ...times(start) },
      },
    ),
    ...teams.map(({ name, description, createdAt }) =>
      moment(
        createdAt,
        "ada",
        "team.created",
        { type: "team", id: ids.team(name) },
        {
          ...{ id: ids.team(name), name, description, memberCount: 0, ...times(createdAt) },
        },
      ),
    ),
    moment(
      roleAt,
      "ada",
      "role.created",
      { type: "role", id: ids.role },
      { id: ids.role, ...financeRole, ...times(roleAt) },
    ),
    moment(
      roleAt + 20_000,
      "ada",
      "team.member_added",
      { type: "team", id: ids.team(owner!.team) },
      {
        memberId: ids.member(owner!.key),
      },
    ),
    ...others.flatMap(({ key, email, role, team, joinedAt }) => {
      const id = ids.invitation(key);
      const at = invitationSentAt(joinedAt);
      const sent = invitation(id, email, roleOf(ids, role), nameOf(role), team, at);
      return [
        moment(at, "ada", "invitation.sent", { type: "invitation", id }, sent),
        moment(
          joinedAt,
          key,
          "invitation.accepted",
          { type: "invitation", id },
          {
            ...{ memberId: ids.member(key), role: roleOf(ids, role), teamIds: [ids.team(team)], email },
          },
        ),
      ];
    }),
    moment(
      plan.invitedAt,
      "ada",
      "invitation.sent",
      { type: "invitation", id: ids.openInvitation },
      invitation(
        ids.openInvitation,
        invited.email,
        invited.role,
        nameOf(invited.role),
        invited.team,
        plan.invitedAt,
      ),
    ),
    moment(
      plan.keyAt,
      "bruno",
      "api_key.created",
      { type: "api_key", id: ids.key },
      {
        ...{
          id: ids.key,
          name: "build machines",
          start: "sbx_4kTq9w",
          memberId: ids.member("bruno"),
          permissions: null,
        },
        ...{ expiresAt: null, lastUsedAt: null, replacedBy: null, createdAt: plan.keyAt },
      },
    ),
    moment(
      plan.mcpTokenAt,
      "elif",
      "mcp_token.created",
      { type: "mcp_token", id: ids.mcpToken },
      {
        ...{
          id: ids.mcpToken,
          name: "editor",
          start: "sbm_Zr07cn",
          memberId: ids.member("elif"),
          scopes: ["mcp:read"],
        },
        ...{ expiresAt: plan.mcpTokenAt + 7 * dayMs, lastUsedAt: null, createdAt: plan.mcpTokenAt },
      },
    ),
    ...runners.map(({ key, owner, createdAt, lastSeenAt: _, ...described }) =>
      moment(
        createdAt,
        owner,
        "automation_runner.token_made",
        { type: "automation_runner", id: ids.runner(key) },
        {
          ...{ ...described, expiresAt: createdAt + dayMs / 2 },
        },
      ),
    ),
  ];
}

function ofAutomations({ automations, budget }: Plan, ids: Ids, named: readonly NamedResources[]): Moment[] {
  const stateOf = ({ key, owner, revisions }: PlannedAutomation, revision: number, status: string) => {
    const { at: _, ...said } = revisions[revision - 1]!;
    const id = ids.automation(key);
    const { templateIds, connectionIds } = named.find(
      (one) => one.automationId === id && one.revision === revision,
    )!;
    const resources = { templateIds, connectionIds };
    const memberId = ids.member(owner);
    return { id, memberId, status, revision, ...said, ...resources, createdAt: revisions[0]!.at };
  };
  const settings = { type: "automation_settings", id: ids.organization };
  return [
    ...automations.flatMap((automation) => {
      const { key, owner, revisions, status, endedAt } = automation;
      const about = { type: "automation", id: ids.automation(key) };
      const said = revisions.map(({ at }, index) => {
        const state = stateOf(automation, index + 1, "active");
        return index === 0
          ? moment(at, owner, "automation.created", about, state)
          : moment(at, owner, "automation.changed", about, state, stateOf(automation, index, "active"));
      });
      if (endedAt === undefined) return said;
      const last = revisions.length;
      const action = status === "archived" ? "automation.archived" : "automation.deactivated";
      const [before, after] = [stateOf(automation, last, "active"), stateOf(automation, last, status)];
      return [...said, moment(endedAt, owner, action, about, after, before)];
    }),
    moment(
      budget.setAt,
      "ada",
      "automation_settings.changed",
      settings,
      settingsOf(budget.firstMicros),
      defaultSettings,
    ),
    moment(
      budget.raisedAt,
      "ada",
      "automation_settings.changed",
      settings,
      settingsOf(budget.micros),
      settingsOf(budget.firstMicros),
    ),
  ];
}

function ofRuns({ runs }: Plan, ids: Ids): Moment[] {
  return runs.flatMap(({ automation, requestedBy, retryOf, createdAt, cancel }, index) => {
    const about = { type: "automation_run", id: ids.runs[index]! };
    const automationId = ids.automation(automation);
    const moments: Moment[] = [];
    if (requestedBy && retryOf !== null) {
      const after = { automationId, retryOf: ids.runs[retryOf] };
      moments.push(moment(createdAt, requestedBy, "automation_run.retried", about, after));
    } else if (requestedBy) {
      moments.push(moment(createdAt, requestedBy, "automation_run.requested", about, { automationId }));
    }
    if (cancel?.by) moments.push(moment(cancel.at, cancel.by, "automation_run.cancel_requested", about));
    return moments;
  });
}

function ofRepository({ repository }: Plan, ids: Ids, synced: Synced): Moment[] {
  const about = { type: "connector", id: ids.connector };
  const { codehost: _, ...said } = target;
  const state = { ...said, installationId: null, access: { kind: "none" } };
  return [
    moment(repository.createdAt, "bruno", "connector.created", about, { ...state, status: "active" }),
    ...repository.syncs.flatMap(({ cause, commit, createdAt, finishedAt, requestedBy }, index) => {
      const syncId = ids.syncs[index]!;
      const moments: Moment[] = [];
      if (cause === "manual" && requestedBy)
        moments.push(moment(createdAt, requestedBy, "connector.sync_requested", about, { syncId }));
      const outcome = synced[index];
      if (outcome) {
        const { added, changed, removed } = outcome;
        const after = { syncId, commit: commit.id, author: commit.author.name, added, changed, removed };
        if (added + changed + removed > 0)
          moments.push(moment(finishedAt, undefined, "connector.synced", about, after));
      }
      return moments;
    }),
    moment(
      repository.disabledAt,
      "bruno",
      "connector.changed",
      about,
      { ...state, status: "disabled" },
      { ...state, status: "active" },
    ),
  ];
}

function ofConnection({ connection: { clientAt, connectedAt, lostAt } }: Plan, ids: Ids): Moment[] {
  const provider = { type: "oauth_provider", id: providerId };
  const about = { type: "oauth_connection", id: ids.connection };
  const saved = { providerId, clientId, authMethod: "none", newSecret: false };
  return [
    moment(clientAt, "bruno", "oauth_client.saved", provider, saved),
    moment(connectedAt, "hana", "oauth_connection.connected", about, { providerId, account: "default" }),
    moment(lostAt, undefined, "oauth_connection.reconnect_needed", about, {
      providerId,
      code: "invalid_grant",
    }),
  ];
}
