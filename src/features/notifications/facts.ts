/** The types of events. The names are part of the API, because webhooks contain them. */
export const eventTypes = [
  "run.failed",
  "connection.needs_attention",
  "budget.reached",
  "sync.failed",
  "worker.unseen",
  "mcp_connection.drift",
  "mcp_connection.failing",
  "mcp_approval.requested",
] as const;
export type EventType = (typeof eventTypes)[number];

/** What a feature announces. Names are looked up later, when the deliveries and mails are made. */
interface Facts {
  "run.failed": {
    runId: string;
    automationId: string;
    memberId: string;
    attempt: number;
    trigger: string;
    reason: string | null;
    message: string | null;
  };
  "connection.needs_attention": {
    /** An account at a provider, or an MCP connection. */
    connectionId: string;
    /** For an MCP connection: whose credential stopped working. Null: the shared one. */
    memberId?: string | null;
    /** Part of the key: a connection that was connected again can need attention again. */
    connectedAt: number;
    reason: string;
    message: string;
  };
  "budget.reached": {
    budgetId: string;
    subjectKind: "organization" | "team" | "member" | "provider";
    subjectId: string;
    period: "day" | "week" | "month";
    /** The first day of the period in UTC, such as `2026-11-01`. */
    periodStart: string;
    mode: "budget" | "alert";
    percent: number;
    spentMicros: number;
    budgetMicros: number;
  };
  "sync.failed": {
    connectorId: string;
    /** Null when the code host ended the connection without a sync. */
    syncId: string | null;
    code: string;
    message: string;
    /** The time of the last successful sync. Failures since then are one event. */
    syncedAt: number | null;
  };
  "worker.unseen": {
    /** `lost`: not seen for minutes. `removal_due`: removed soon. `removed`: not there any more. */
    stage: "lost" | "removal_due" | "removed";
    workerId: string;
    /** Of the time of the event, because the worker may be removed when it is announced. */
    name: string;
    /** Null when it was never seen. Part of the key: a worker that was seen again can be lost again. */
    lastSeenAt: number | null;
    /** When it is or was removed. */
    removedAt: number;
  };
  "mcp_connection.drift": {
    connectionId: string;
    /** A hash of the differences. It is part of the event key, so that other differences make a new event. */
    revision: string;
    /** What changed, such as `hint_flipped`. */
    kinds: string[];
    /** The first changed tools. */
    tools: string[];
    /** How many tools changed. */
    toolCount: number;
    /** How many tools cannot be called until somebody approves them. */
    heldTools: number;
    /** Whether the instructions of the server changed. */
    instructions: boolean;
    /** What changed in the requirements of the server, such as `issuer`. */
    verdictFields: string[];
  };
  "mcp_connection.failing": {
    connectionId: string;
    /** Since when it fails. Part of the key: a server that worked again can fail again. */
    since: number;
    step: string;
    code: string;
    message: string;
  };
  "mcp_approval.requested": {
    approvalId: string;
    connectionId: string;
    memberId: string;
    tool: string;
    runId: string | null;
  };
}

export type Fact = { [Type in EventType]: { type: Type } & Facts[Type] }[EventType];

/** Facts with the same key are the same event. */
export function createEventKey(fact: Fact): string {
  switch (fact.type) {
    case "run.failed":
      return `${fact.type} ${fact.runId} ${fact.attempt}`;
    case "connection.needs_attention":
      return [fact.type, fact.connectionId, fact.memberId ?? [], fact.connectedAt, fact.reason]
        .flat()
        .join(" ");
    case "budget.reached":
      return `${fact.type} ${fact.budgetId} ${fact.periodStart} ${fact.percent} ${fact.budgetMicros}`;
    case "sync.failed":
      return `${fact.type} ${fact.connectorId} ${fact.syncedAt ?? "never"}`;
    case "worker.unseen":
      return `${fact.type} ${fact.workerId} ${fact.stage} ${fact.lastSeenAt ?? "never"}`;
    case "mcp_connection.drift":
      return `${fact.type} ${fact.connectionId} ${fact.revision}`;
    case "mcp_connection.failing":
      return `${fact.type} ${fact.connectionId} ${fact.since}`;
    case "mcp_approval.requested":
      return `${fact.type} ${fact.approvalId}`;
  }
}
