/** What can be announced. The names are part of the API: webhooks carry them. */
export const eventTypes = [
  "run.failed",
  "connection.needs_attention",
  "budget.reached",
  "sync.failed",
] as const;
export type EventType = (typeof eventTypes)[number];

/** What a room knows when it announces. Names of things are looked up later, when people are told. */
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
    connectionId: string;
    /** A connection that was made again can need attention again. */
    connectedAt: number;
    reason: string;
    message: string;
  };
  "budget.reached": {
    /** `2026-11`, of UTC. */
    month: string;
    percent: number;
    spentMicros: number;
    budgetMicros: number;
  };
  "sync.failed": {
    connectorId: string;
    /** Null: the connector was ended by its code host, without a sync. */
    syncId: string | null;
    code: string;
    message: string;
    /** When it last succeeded: failures since then are one event. */
    syncedAt: number | null;
  };
}

export type Fact = { [Type in EventType]: { type: Type } & Facts[Type] }[EventType];

/** Two facts with one key are the same event. */
export function keyOf(fact: Fact): string {
  switch (fact.type) {
    case "run.failed":
      return `${fact.type} ${fact.runId} ${fact.attempt}`;
    case "connection.needs_attention":
      return `${fact.type} ${fact.connectionId} ${fact.connectedAt} ${fact.reason}`;
    case "budget.reached":
      return `${fact.type} ${fact.month} ${fact.percent} ${fact.budgetMicros}`;
    case "sync.failed":
      return `${fact.type} ${fact.connectorId} ${fact.syncedAt ?? "never"}`;
  }
}
