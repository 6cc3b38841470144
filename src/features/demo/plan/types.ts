import type { Automation, Run, RunEvent } from "../../automations/index.ts";

export interface Person {
  /** What the rest of the plan calls them by. */
  key: string;
  name: string;
  email: string;
  /** A built-in role, or the name of the organization's own. */
  role: string;
  team: string;
  joinedAt: number;
}

export interface Team {
  name: string;
  description: string;
  createdAt: number;
}

export interface Revision {
  at: number;
  name: string;
  instructions: string;
  schedule: Automation["schedule"];
  model: { providerId: string; modelId: string };
  maxRuntimeSeconds: number;
}

export interface PlannedAutomation {
  key: string;
  owner: string;
  status: Automation["status"];
  /** When it was put to rest or away; undefined: it is active. */
  endedAt: number | undefined;
  /** Oldest first. */
  revisions: Revision[];
  /** Slugs of the templates that its runs get; a revision names those that were there when it was made. */
  templates: readonly string[];
  /** Whether its runs may use the connected account. */
  isConnected: boolean;
}

export interface PlannedEvent {
  sequence: number;
  type: RunEvent["type"];
  at: number;
  payload: Record<string, unknown>;
}

export interface PlannedUsage {
  /** The event's sequence; -1 for the completion. */
  report: number;
  at: number;
  model: string;
  inputTokens: number;
  outputTokens: number;
  costMicros: number;
}

export interface PlannedAttempt {
  runner: string;
  startedAt: number;
  endedAt: number | null;
  outcome: "succeeded" | "failed" | "cancelled" | "lease_lost" | "timed_out" | null;
  events: PlannedEvent[];
  usage: PlannedUsage[];
}

/** What a runner said at the end. */
export interface Completion {
  attempt: number;
  status: "succeeded" | "failed" | "cancelled";
  sessionId: string | null;
  workspaceId: null;
  resultSummary: string | null;
  usage: { inputTokens: number; outputTokens: number; costMicros: number } | null;
  error: { message: string; retryable: boolean } | null;
}

export interface PlannedRun {
  automation: string;
  /** Counted from 1. */
  revision: number;
  owner: string;
  trigger: Run["trigger"];
  /** Who asked for it, if somebody did. */
  requestedBy: string | null;
  /** The place in the list of the run that it repeats. */
  retryOf: number | null;
  occurrenceAt: number | null;
  status: Run["status"];
  reason: Run["reason"];
  reasonDetail: string | null;
  /** It ended without a report. */
  fenced: boolean;
  cancel: { at: number; by: string | null; reason: NonNullable<Run["reason"]> } | null;
  createdAt: number;
  queuedAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  /** While it runs. */
  deadlineAt: number | null;
  attempts: PlannedAttempt[];
  completion: Completion | null;
  /** Of the first attempt, after its lease was lost. */
  lateReports: { receivedAt: number; event: PlannedEvent }[];
}

export interface Budget {
  setAt: number;
  firstMicros: number;
  raisedAt: number;
  micros: number;
  /** The month in which the first one was spent, such as 2026-11. */
  spentMonth: string;
}
