import { dayMs } from "../../../platform/days.ts";
import type { Db } from "../../../platform/db/index.ts";
import { recordPastChange } from "../../audit/index.ts";
import { defaultSettings } from "../../automations/index.ts";
import {
  financeRole,
  invitedPerson,
  organization,
  type Plan,
  type PlannedAutomation,
  sampleRepository,
  unansweredInvitations,
} from "../plan/index.ts";
import type { RevisionResources } from "../store.ts";
import { createActor } from "./actor.ts";
import { toModel, toSettings } from "./automations.ts";
import { clientId, providerId } from "./connection.ts";
import { listFleetChanges } from "./fleet-history.ts";
import { type Ids, invitationSentAt } from "./ids.ts";
import { listMcpChanges } from "./mcp-history.ts";
import { createPastChange, type PastChange } from "./past-change.ts";
import { findRoleId } from "./people.ts";
import type { SyncedRepository } from "./repository.ts";

/** Writes the audit log of the demo, in chronological order. */
export async function writeHistory(
  tx: Db,
  plan: Plan,
  ids: Ids,
  synced: SyncedRepository,
  named: readonly RevisionResources[],
): Promise<void> {
  const changes = [
    ...listPeopleChanges(plan, ids),
    ...listAutomationChanges(plan, ids, named),
    ...listRunChanges(plan, ids),
    ...listRepositoryChanges(plan, ids, synced),
    ...listConnectionChanges(plan, ids),
    ...listFleetChanges(plan, ids),
    ...listMcpChanges(plan, ids),
  ].sort((a, b) => a.at - b.at);
  let last = 0;
  for (const { at, by, change } of changes) {
    // Ids contain the time in milliseconds, so each entry needs its own millisecond.
    last = Math.max(at, last + 1);
    await recordPastChange(
      tx,
      ids.organization,
      last,
      by ? createActor(plan.people, ids, by, last) : {},
      change,
    );
  }
}

function listPeopleChanges(plan: Plan, ids: Ids): PastChange[] {
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
  const formatRoleName = (role: string) => role[0]!.toUpperCase() + role.slice(1);
  return [
    createPastChange(
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
      createPastChange(
        createdAt,
        "ada",
        "team.created",
        { type: "team", id: ids.team(name) },
        {
          ...{ id: ids.team(name), name, description, memberCount: 0, ...times(createdAt) },
        },
      ),
    ),
    createPastChange(
      roleAt,
      "ada",
      "role.created",
      { type: "role", id: ids.role },
      { id: ids.role, ...financeRole, ...times(roleAt) },
    ),
    createPastChange(
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
      const sent = invitation(id, email, findRoleId(ids, role), formatRoleName(role), team, at);
      return [
        createPastChange(at, "ada", "invitation.sent", { type: "invitation", id }, sent),
        createPastChange(
          joinedAt,
          key,
          "invitation.accepted",
          { type: "invitation", id },
          {
            ...{ memberId: ids.member(key), role: findRoleId(ids, role), teamIds: [ids.team(team)], email },
          },
        ),
      ];
    }),
    ...unansweredInvitations.flatMap(({ key, email, role, team }) => {
      const [id, at] = [ids.unansweredInvitation[key], plan.unansweredAt[key]];
      const about = { type: "invitation", id };
      const sent = invitation(id, email, role, formatRoleName(role), team, at);
      return [
        createPastChange(at, "ada", "invitation.sent", about, sent),
        ...(key === "cancelled"
          ? [createPastChange(at + 50 * 60_000, "ada", "invitation.cancelled", about, undefined, sent)]
          : []),
      ];
    }),
    createPastChange(
      plan.invitedAt,
      "ada",
      "invitation.sent",
      { type: "invitation", id: ids.openInvitation },
      invitation(
        ids.openInvitation,
        invitedPerson.email,
        invitedPerson.role,
        formatRoleName(invitedPerson.role),
        invitedPerson.team,
        plan.invitedAt,
      ),
    ),
    createPastChange(
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
    createPastChange(
      plan.reportKeyAt,
      "hana",
      "api_key.created",
      { type: "api_key", id: ids.reportKey },
      {
        ...{ id: ids.reportKey, name: "cost report", start: "sbx_9dVm2e", memberId: ids.member("hana") },
        ...{ permissions: ["usage:read"], expiresAt: plan.reportKeyAt + 90 * dayMs, lastUsedAt: null },
        ...{ replacedBy: null, createdAt: plan.reportKeyAt },
      },
    ),
    createPastChange(
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
      createPastChange(
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

function listAutomationChanges(
  { automations, budget }: Plan,
  ids: Ids,
  named: readonly RevisionResources[],
): PastChange[] {
  const toState = ({ key, owner, revisions }: PlannedAutomation, revision: number, status: string) => {
    const { at: _, model, ...content } = revisions[revision - 1]!;
    const id = ids.automation(key);
    const { templateIds, connectionIds } = named.find(
      (one) => one.automationId === id && one.revision === revision,
    )!;
    const resources = { templateIds, connectionIds };
    const memberId = ids.member(owner);
    const state = { id, memberId, status, revision, model: toModel(model, ids), ...content, ...resources };
    return { ...state, createdAt: revisions[0]!.at };
  };
  const settings = { type: "automation_settings", id: ids.organization };
  return [
    ...automations.flatMap((automation) => {
      const { key, owner, revisions, status, endedAt } = automation;
      const about = { type: "automation", id: ids.automation(key) };
      const revisionChanges = revisions.map(({ at }, index) => {
        const state = toState(automation, index + 1, "active");
        return index === 0
          ? createPastChange(at, owner, "automation.created", about, state)
          : createPastChange(
              at,
              owner,
              "automation.changed",
              about,
              state,
              toState(automation, index, "active"),
            );
      });
      if (endedAt === undefined) return revisionChanges;
      const last = revisions.length;
      const action = status === "archived" ? "automation.archived" : "automation.deactivated";
      const [before, after] = [toState(automation, last, "active"), toState(automation, last, status)];
      return [...revisionChanges, createPastChange(endedAt, owner, action, about, after, before)];
    }),
    createPastChange(
      budget.setAt,
      "ada",
      "automation_settings.changed",
      settings,
      toSettings(budget.firstMicros),
      defaultSettings,
    ),
    createPastChange(
      budget.raisedAt,
      "ada",
      "automation_settings.changed",
      settings,
      toSettings(budget.micros),
      toSettings(budget.firstMicros),
    ),
  ];
}

function listRunChanges({ runs }: Plan, ids: Ids): PastChange[] {
  return runs.flatMap(({ automation, requestedBy, retryOf, createdAt, cancel }, index) => {
    const about = { type: "automation_run", id: ids.runs[index]! };
    const automationId = ids.automation(automation);
    const moments: PastChange[] = [];
    if (requestedBy && retryOf !== null) {
      const after = { automationId, retryOf: ids.runs[retryOf] };
      moments.push(createPastChange(createdAt, requestedBy, "automation_run.retried", about, after));
    } else if (requestedBy) {
      moments.push(
        createPastChange(createdAt, requestedBy, "automation_run.requested", about, { automationId }),
      );
    }
    if (cancel?.by)
      moments.push(createPastChange(cancel.at, cancel.by, "automation_run.cancel_requested", about));
    return moments;
  });
}

function listRepositoryChanges({ repository }: Plan, ids: Ids, synced: SyncedRepository): PastChange[] {
  const about = { type: "connector", id: ids.connector };
  const { codehost: _, ...said } = sampleRepository;
  const state = { ...said, installationId: null, access: { kind: "none" } };
  return [
    createPastChange(repository.createdAt, "bruno", "connector.created", about, {
      ...state,
      status: "active",
    }),
    ...repository.syncs.flatMap(({ cause, commit, createdAt, finishedAt, requestedBy }, index) => {
      const syncId = ids.syncs[index]!;
      const moments: PastChange[] = [];
      if (cause === "manual" && requestedBy)
        moments.push(createPastChange(createdAt, requestedBy, "connector.sync_requested", about, { syncId }));
      const outcome = synced[index];
      if (outcome) {
        const { added, changed, removed } = outcome;
        const after = { syncId, commit: commit.id, author: commit.author.name, added, changed, removed };
        if (added + changed + removed > 0)
          moments.push(createPastChange(finishedAt, undefined, "connector.synced", about, after));
      }
      return moments;
    }),
    createPastChange(
      repository.disabledAt,
      "bruno",
      "connector.changed",
      about,
      { ...state, status: "disabled" },
      { ...state, status: "active" },
    ),
  ];
}

function listConnectionChanges(
  { connection: { clientAt, connectedAt, lostAt } }: Plan,
  ids: Ids,
): PastChange[] {
  const provider = { type: "oauth_provider", id: providerId };
  const about = { type: "oauth_connection", id: ids.connection };
  const saved = { providerId, clientId, authMethod: "none", newSecret: false };
  return [
    createPastChange(clientAt, "bruno", "oauth_client.saved", provider, saved),
    createPastChange(connectedAt, "hana", "oauth_connection.connected", about, {
      providerId,
      account: "default",
    }),
    createPastChange(lostAt, undefined, "oauth_connection.reconnect_needed", about, {
      providerId,
      code: "invalid_grant",
    }),
  ];
}
