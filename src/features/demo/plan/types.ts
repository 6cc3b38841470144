import type { Automation, Run, RunEvent } from "../../automations/index.ts";

export interface Person {
  /** Identifies the person in the plan. */
  key: string;
  name: string;
  email: string;
  /** A built-in role, or the name of the organization's custom role. */
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
  /** When it was deactivated or archived. Undefined while it is active. */
  endedAt: number | undefined;
  /** Oldest first. */
  revisions: Revision[];
  /** Slugs of the templates for its runs. A revision refers only to those that existed when it was made. */
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
  /** The sequence of the event, or -1 for the completion. */
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

/** The completion that a runner reported. */
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
  /** Starts at 1. */
  revision: number;
  owner: string;
  trigger: Run["trigger"];
  /** The person who requested the run. Null for a scheduled run. */
  requestedBy: string | null;
  /** The index of the run that it retries. */
  retryOf: number | null;
  occurrenceAt: number | null;
  status: Run["status"];
  reason: Run["reason"];
  reasonDetail: string | null;
  /** True when the service ended the run without a completion from the runner. */
  fenced: boolean;
  cancel: { at: number; by: string | null; reason: NonNullable<Run["reason"]> } | null;
  createdAt: number;
  queuedAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  /** Null unless the run is running. */
  deadlineAt: number | null;
  attempts: PlannedAttempt[];
  completion: Completion | null;
  /** Reports of the first attempt that arrived after its lease was lost. */
  lateReports: { receivedAt: number; event: PlannedEvent }[];
}

export interface Budget {
  setAt: number;
  firstMicros: number;
  raisedAt: number;
  micros: number;
  /** The month in which the first budget was used up, such as 2026-11. */
  spentMonth: string;
}
