import type { OrgId, Platform } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Fact } from "./facts.ts";
import * as store from "./store.ts";

/** What the recipients of an event get. */
export interface EventSubject {
  /** The member that the event concerns. Null when it concerns no particular member. */
  memberId: string | null;
  /** Events with the same topic are collected into one mail. */
  topic: string;
  /** The `data` of the webhook body. */
  data: Record<string, unknown>;
}

/** Undefined when the automation, connection, budget or connector does not exist any more. */
export async function describeFact(
  { config: { publicUrl } }: Pick<Platform, "config">,
  db: Db,
  orgId: OrgId,
  fact: Fact,
): Promise<EventSubject | undefined> {
  const organizationId = orgId;
  const { type } = fact;
  switch (type) {
    case "run.failed": {
      const automation = await store.findAutomation(db, orgId, fact.automationId);
      if (!automation) return undefined;
      const { runId, automationId, memberId, attempt, trigger, reason, message } = fact;
      const url = `${publicUrl}/v1/automation-runs/${runId}`;
      const run = { runId, automationId, automationName: automation.name, memberId };
      const data = { organizationId, ...run, attempt, trigger, reason, message, url };
      return { memberId, topic: `${type} ${automationId}`, data };
    }
    case "connection.needs_attention": {
      if (fact.memberId !== undefined)
        return describeMcpCredential(publicUrl, db, orgId, fact, fact.memberId);
      const connection = await store.findConnection(db, orgId, fact.connectionId);
      if (!connection) return undefined;
      const { providerId, account, shared, memberId, connectedBy } = connection;
      const { connectionId, reason, message } = fact;
      const url = `${publicUrl}/v1/oauth-connections/${connectionId}`;
      const data = {
        organizationId,
        connectionId,
        providerId,
        account,
        shared,
        memberId,
        reason,
        message,
        url,
      };
      // Only an admin can repair the organization's OAuth client.
      const concernedMemberId = reason === "client_rejected" ? null : (memberId ?? connectedBy);
      return { memberId: concernedMemberId, topic: `${type} ${providerId}`, data };
    }
    case "budget.reached": {
      const subject = await store.findBudgetSubject(db, orgId, fact.budgetId);
      if (!subject) return undefined;
      const { budgetId, subjectKind: kind, subjectId: id, period, periodStart, mode } = fact;
      const { percent, spentMicros, budgetMicros } = fact;
      const url = `${publicUrl}/v1/llm-budgets/${budgetId}`;
      const about = { budgetId, subject: { kind, id, name: subject.name }, mode, period, periodStart };
      const figures = { month: periodStart.slice(0, 7), percent, spentMicros, budgetMicros };
      const data = { organizationId, ...about, ...figures, url };
      return { memberId: null, topic: `${type} ${budgetId} ${periodStart} ${percent}`, data };
    }
    case "sync.failed": {
      const connector = await store.findConnector(db, orgId, fact.connectorId);
      if (!connector) return undefined;
      const { name: connectorName, repository, ref, createdBy } = connector;
      const { connectorId, syncId, code, message } = fact;
      const url = `${publicUrl}/v1/connectors/${connectorId}`;
      const data = {
        organizationId,
        connectorId,
        connectorName,
        repository,
        ref,
        syncId,
        code,
        message,
        url,
      };
      return { memberId: createdBy, topic: type, data };
    }
    case "worker.unseen": {
      const { stage, workerId, name: workerName, lastSeenAt, removedAt } = fact;
      const url = `${publicUrl}/v1/workers/${workerId}`;
      const data = { organizationId, stage, workerId, workerName, lastSeenAt, removedAt, url };
      const memberId = await store.findWorkerOwner(db, orgId, workerId);
      return { memberId, topic: `${type} ${stage}`, data };
    }
    case "mcp_connection.drift":
    case "mcp_connection.failing":
    case "mcp_approval.requested":
      return describeMcpFact(publicUrl, db, orgId, fact);
  }
}

async function describeMcpCredential(
  publicUrl: string,
  db: Db,
  orgId: OrgId,
  { type, connectionId, reason, message }: Extract<Fact, { type: "connection.needs_attention" }>,
  memberId: string | null,
): Promise<EventSubject | undefined> {
  const connection = await store.findMcpConnection(db, orgId, connectionId);
  if (!connection) return undefined;
  const { name: connectionName, createdBy } = connection;
  const about = { organizationId: orgId, connectionId, connectionName, providerId: null, account: null };
  const url = `${publicUrl}/v1/mcp-connections/${connectionId}`;
  const data = { ...about, shared: memberId === null, memberId, reason, message, url };
  const concernedMemberId = reason === "client_rejected" ? null : (memberId ?? createdBy);
  return { memberId: concernedMemberId, topic: `${type} ${connectionId}`, data };
}

type McpFact = Extract<Fact, { type: `mcp_${string}` }>;

async function describeMcpFact(
  publicUrl: string,
  db: Db,
  orgId: OrgId,
  fact: McpFact,
): Promise<EventSubject | undefined> {
  const connection = await store.findMcpConnection(db, orgId, fact.connectionId);
  if (!connection) return undefined;
  const { name: connectionName, createdBy } = connection;
  const { type, connectionId, ...facts } = fact;
  const about = { organizationId: orgId, connectionId, connectionName, ...facts };
  const topic = `${type} ${connectionId}`;
  if (fact.type === "mcp_approval.requested") {
    const url = `${publicUrl}/v1/mcp-approvals/${fact.approvalId}`;
    return { memberId: fact.memberId, topic, data: { ...about, url } };
  }
  const url = `${publicUrl}/v1/mcp-connections/${connectionId}${fact.type === "mcp_connection.drift" ? "/drift" : ""}`;
  return { memberId: createdBy, topic, data: { ...about, url } };
}
