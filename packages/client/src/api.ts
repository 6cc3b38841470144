// Generated from openapi.json by packages/client/generate.ts. Do not edit; run `npm run openapi`.

export type ApiKey = {
  /** The id of the API key. */
  id: string;
  /** The name of the key. */
  name: string;
  /** The first letters of the key, to tell keys apart. */
  start: string;
  /** The member of the organization that it belongs to. */
  memberId: string;
  /** What it is limited to; null: whatever its member may do. */
  permissions: string[] | null;
  /** When it expires, in milliseconds since 1970. Null when it never expires. */
  expiresAt: number | null;
  /** To within some seconds. */
  lastUsedAt: number | null;
  /** The key that took its place, while both work. */
  replacedBy: string | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type ApiKeyPage = {
  /** The entries of this page. */
  items: ApiKey[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AuditActor = {
  /** The person. */
  userId: string | null;
  /** The member of the organization that it belongs to. */
  memberId: string | null;
  /** As it was then. */
  name: string | null;
  /** How they were known; `system`: nobody asked. */
  credential: "session" | "key" | "runner" | "run" | "worker" | "scim" | "mcp" | "system";
  /** The id of the credential that was used. */
  credentialId: string | null;
};

export type AuditChain = {
  /** Of the newest entry. */
  sequence: number;
  /** Its hash. Noted elsewhere, it shows later that nothing up to here was changed. */
  hash: string;
  /** Entries up to this one were removed when their time was over. */
  prunedSequence: number;
  /** How many days entries are kept. */
  retentionDays: number;
};

export type AuditEvent = {
  /** The id of the entry. */
  id: string;
  /** Its place in the organization's chain, from 1, without gaps. */
  sequence: number;
  /** When it happened, in milliseconds since 1970. */
  at: number;
  /** What happened: `member.removed`. */
  action: string;
  /** Who did it. */
  actor: AuditActor;
  /** The network address that the request came from. */
  address: string | null;
  /** The `User-Agent` header of the request, shortened. */
  userAgent: string | null;
  /** The id of the request. The service's log entry for the request has the same id. */
  requestId: string | null;
  /** What it was done to. */
  target: AuditTarget;
  /** What it was, of that which changed. No secrets. */
  before: Record<string, unknown> | null;
  /** What it became. */
  after: Record<string, unknown> | null;
  /** The hash of the previous entry, which makes the log a chain. */
  previousHash: string;
  /** SHA-256 over this entry and the hash of the one before. */
  hash: string;
};

export type AuditEventPage = {
  /** The entries of this page. */
  items: AuditEvent[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AuditTarget = {
  /** The kind of what was changed. */
  type: string;
  /** What was changed. */
  id: string | null;
};

export type Automation = {
  /** The id of the automation. */
  id: string;
  /** Its owner; null when they have left. */
  memberId: string | null;
  /** The current state. */
  status: "active" | "inactive" | "archived";
  /** The revision of the automation. It starts at 1 and each change adds 1. */
  revision: number;
  /** The name of the automation. */
  name: string;
  /** The instructions for the agent. */
  instructions: string;
  /** When it is due. */
  schedule: AutomationSchedule;
  /** The model to use. Null when the runner chooses. */
  model: AutomationModel | null;
  /** How long one attempt may take, in seconds. A longer attempt is stopped. */
  maxRuntimeSeconds: number;
  /** The templates whose files its runs get, by id. */
  templateIds: string[];
  /** The connections whose tokens its runs may get, by id. */
  connectionIds: string[];
  /** The templates of `templateIds`, with their names. */
  templates: AutomationTemplate[];
  /** The connections of `connectionIds`, with their providers and labels. */
  connections: AutomationConnection[];
  /** When its schedule is due next; null: not by itself. */
  nextRunAt: number | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
};

export type AutomationAsRun = {
  /** The id of the automation. */
  id: string;
  /** The name of the automation. */
  name: string;
  /** The revision of the automation. It starts at 1 and each change adds 1. */
  revision: number;
  /** The instructions for the agent. */
  instructions: string;
  /** The model to use. Null when the runner chooses. */
  model: AutomationModel | null;
  /** How long one attempt may take, in seconds. A longer attempt is stopped. */
  maxRuntimeSeconds: number;
  /** The templates whose files its runs get, by id. */
  templateIds: string[];
  /** The connections whose tokens its runs may get, by id. */
  connectionIds: string[];
};

export type AutomationAssignment = {
  /** The run. */
  runId: string;
  /** The automation. */
  automationId: string;
  /** The name of the automation. */
  automationName: string;
  /** The instructions for the agent. */
  instructions: string;
  /** The model to use. Null when the runner chooses. */
  model: AutomationModel | null;
  /** The attempt of the run, from 1. */
  attempt: number;
  /** How long the attempt may take, in milliseconds. */
  timeoutMs: number;
  /** When the lease ends unless it is renewed, in milliseconds since 1970. */
  leaseExpiresAt: number;
  /** The run credential for the program. It is shown once and ends with the attempt; see docs/automations.md. */
  credential: string;
  /** Read each with the credential: `GET /v1/templates/{id}`. */
  templates: AutomationRunTemplate[];
  /** The connections whose tokens the credential can get. */
  connections: AutomationRunConnection[];
};

export type AutomationBudget = {
  /** The calendar month in UTC, `2026-11`. */
  month: string;
  /** What was spent this month, in millionths of the currency unit. */
  spentMicros: number;
  /** The budget of a month, in millionths of the currency unit. Null means no limit. */
  monthlyBudgetMicros: number | null;
  /** How many implausible reports wait to be confirmed or corrected. They do not count until then. The count stops at 1,000. */
  heldReports: number;
  /** `exceeded`: new runs are skipped until the month ends or the budget is raised. */
  state: "unlimited" | "within" | "warned" | "exceeded";
};

export type AutomationConnection = {
  /** The id of the connection. */
  id: string;
  /** Null when the connection has ended. */
  providerId: string | null;
  /** The label of the connection. Null when the connection has ended. */
  account: string | null;
};

export type AutomationCorrectedReport = {
  /** The run. */
  runId: string;
  /** The attempt of the run, from 1. */
  attempt: number;
  /** The sequence of the event. Null for the completion. */
  sequence: number | null;
  /** How many input tokens were used. */
  inputTokens: number;
  /** How many output tokens were used. */
  outputTokens: number;
  /** Millionths of the currency your prices are in. */
  costMicros: number;
  /** The current state. */
  state: "corrected";
  /** What the runner reported. */
  reported: AutomationUsageTotals;
};

export type AutomationHeldReport = {
  /** The run. */
  runId: string;
  /** The attempt of the run, from 1. */
  attempt: number;
  /** The sequence of the event. Null for the completion. */
  sequence: number | null;
  /** The automation. */
  automationId: string;
  /** Null when the automation does not exist any more. */
  automationName: string | null;
  /** The member of the organization that it belongs to. */
  memberId: string;
  /** Null when the member has left. */
  memberName: string | null;
  /** The model that was used. */
  model: string | null;
  /** What the runner reported. */
  reported: AutomationUsageTotals;
  /** When it was reported, in milliseconds since 1970. */
  reportedAt: number;
};

export type AutomationHeldReportPage = {
  /** The entries of this page. */
  items: AutomationHeldReport[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AutomationLateReport = {
  /** The id of the report. */
  id: string;
  /** Which kind it is. */
  kind: "event" | "completion";
  /** The attempt of the run, from 1. */
  attempt: number;
  /** The number of the event in its attempt. */
  sequence: number | null;
  /** The runner or member that sent it. */
  reporter: string;
  /** What was sent. */
  body: Record<string, unknown>;
  /** When the service received it, in milliseconds since 1970. */
  receivedAt: number;
};

export type AutomationLateReportPage = {
  /** The entries of this page. */
  items: AutomationLateReport[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AutomationModel = {
  /** The provider of the model. */
  providerId: string;
  /** The model, as its provider names it. */
  modelId: string;
};

export type AutomationPage = {
  /** The entries of this page. */
  items: Automation[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AutomationRevision = {
  /** The revision of the automation. It starts at 1 and each change adds 1. */
  revision: number;
  /** The name of the automation. */
  name: string;
  /** The instructions for the agent. */
  instructions: string;
  /** When it is due. */
  schedule: AutomationSchedule;
  /** The model to use. Null when the runner chooses. */
  model: AutomationModel | null;
  /** How long one attempt may take, in seconds. A longer attempt is stopped. */
  maxRuntimeSeconds: number;
  /** The templates whose files its runs get, by id. */
  templateIds: string[];
  /** The connections whose tokens its runs may get, by id. */
  connectionIds: string[];
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** The member who wrote it. */
  createdBy: string;
};

export type AutomationRevisionPage = {
  /** The entries of this page. */
  items: AutomationRevision[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AutomationRun = {
  /** The id of the run. */
  id: string;
  /** The automation. */
  automationId: string;
  /** The revision of the automation that ran. */
  automationRevision: number;
  /** Whose run it is. */
  memberId: string;
  /** What started the run. */
  trigger: "schedule" | "manual";
  /** The id of the run that this run repeats. */
  retryOf: string | null;
  /** The moment of the schedule it stands for. */
  occurrenceAt: number | null;
  /** The state of the run. */
  status: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "skipped";
  /** Why it is in this state. */
  reason: "overlap" | "missed" | "no_runner" | "interrupted" | "lease_lost" | "timed_out" | "reported" | "requested" | "automation_archived" | "resource_missing" | "run_budget_exceeded" | "monthly_budget_exceeded" | null;
  /** The same for a person. */
  reasonDetail: string | null;
  /** How many attempts have begun; the next report of a queued run is for one more. */
  attempt: number;
  /** When the lease ends unless it is renewed, in milliseconds since 1970. */
  leaseExpiresAt: number | null;
  /** When cancellation was requested, in milliseconds since 1970. Null when it was not. */
  cancelRequestedAt: number | null;
  /** The runner's own name for the agent's session. */
  sessionId: string | null;
  /** The runner's own name for the workspace it used. */
  workspaceId: string | null;
  /** The result, in a few sentences. */
  resultSummary: string | null;
  /** Why the run failed. Null when it did not fail. */
  error: {
    /** What happened and what to do, for a person to read. */
    message: string | null;
    /** Whether another attempt may help. */
    retryable: boolean | null;
  } | null;
  /** How many reports came after the lease was lost. They were refused and kept. The count stops at 1,000. */
  lateReports: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was queued, in milliseconds since 1970. */
  queuedAt: number;
  /** When the work began, in milliseconds since 1970. */
  startedAt: number | null;
  /** When the work ended, in milliseconds since 1970. */
  finishedAt: number | null;
  /** Its events were older than the organization keeps them. */
  eventsPrunedAt: number | null;
};

export type AutomationRunAttempt = {
  /** The attempt of the run, from 1. */
  attempt: number;
  /** The name of the runner; null when a person or a key reported. */
  runnerId: string | null;
  /** When the work began, in milliseconds since 1970. */
  startedAt: number;
  /** When it ended, in milliseconds since 1970. Null while it has not ended. */
  endedAt: number | null;
  /** How it ended. */
  outcome: "succeeded" | "failed" | "cancelled" | "lease_lost" | "timed_out" | null;
};

export type AutomationRunCompletion = {
  /** The attempt of the run, from 1. */
  attempt: number;
  /** How it ended. Required; `outcome` is accepted as its other name. */
  status?: "succeeded" | "failed" | "cancelled" | null;
  /** Another name for `status`. */
  outcome?: "succeeded" | "failed" | "cancelled" | null;
  /** The runner's own name for the agent's session. */
  sessionId?: string | null;
  /** The runner's own name for the workspace it used. */
  workspaceId?: string | null;
  /** The result, in a few sentences. */
  resultSummary?: string | null;
  /** What this attempt used beyond what its usage events already said. */
  usage?: {
    /** How many input tokens were used. */
    inputTokens?: number | null;
    /** How many output tokens were used. */
    outputTokens?: number | null;
    /** Millionths of the currency your prices are in. */
    costMicros?: number | null;
  } | null;
  /** Why the attempt failed. Null or omitted when it did not fail. */
  error?: {
    /** What happened and what to do, for a person to read. */
    message?: string | null;
    /** Whether another attempt may help. */
    retryable?: boolean | null;
  } | null;
} & ({
  /** The current state. */
  status: unknown;
} | {
  /** Another name for `status`. */
  outcome: unknown;
});

export type AutomationRunConnection = {
  /** The id of the connection. */
  id: string;
  /** Tokens come from `POST /v1/oauth-providers/{providerId}/token`. */
  providerId: string;
  /** The label of the connection. */
  account: string;
  /** The account at the provider. Null when the provider does not name it. */
  outsideAccount: {
    /** The id of the account at the provider. */
    subject: string;
    /** The name of the person. */
    name: string | null;
  } | null;
  /** True when the connection belongs to the organization and is granted to members. */
  shared: boolean;
  /** The current state. */
  status: "connected" | "needs_reconnect";
  /** The scopes that the provider granted. */
  scopes: string[];
};

export type AutomationRunEvent = {
  /** The run. */
  runId: string;
  /** The attempt of the run, from 1. */
  attempt: number;
  /** The number of the event in its attempt. */
  sequence: number;
  /** Which kind it is. */
  type: "user" | "assistant" | "capability_search" | "capability_execution" | "usage" | "warning" | "terminal";
  /** What happened, as the runner reported it. */
  payload: Record<string, unknown>;
  /** The runner's clock, as it was sent. */
  createdAt: number;
  /** Our clock. */
  receivedAt: number;
};

export type AutomationRunEventPage = {
  /** The entries of this page. */
  items: AutomationRunEvent[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AutomationRunEventReport = {
  /** The attempt of the run, from 1. */
  attempt: number;
  /** The number of the event in its attempt. */
  sequence: number;
  /** What it is. Required; `kind` is accepted as its other name. */
  type?: "user" | "assistant" | "capability_search" | "capability_execution" | "usage" | "warning" | "terminal" | null;
  /** Another name for `type`. */
  kind?: "user" | "assistant" | "capability_search" | "capability_execution" | "usage" | "warning" | "terminal" | null;
  /** Any JSON object, up to 256 KiB. */
  payload: Record<string, unknown>;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
} & ({
  /** Which kind it is. */
  type: unknown;
} | {
  /** Another name for `type`. */
  kind: unknown;
});

export type AutomationRunEventsStored = {
  /** How many were new. */
  added: number;
  /** How many were stored before, and were the same. */
  repeated: number;
  /** The last event of the attempt now; the next one follows it. */
  lastSequence: number;
};

export type AutomationRunHeld = {
  /** The run. */
  runId: string;
  /** The attempt of the run, from 1. */
  attempt: number;
  /** When the lease ends unless it is renewed, in milliseconds since 1970. */
  leaseExpiresAt: number;
  /** Whether the runner must stop the run: somebody cancelled it, or a budget is spent. */
  cancelRequested: boolean;
};

export type AutomationRunPage = {
  /** The entries of this page. */
  items: AutomationRunWithNames[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AutomationRunReportRefused = {
  /** A code that programs can act on. */
  error: string;
  /** What to do. */
  message: string;
  /** The sequence that would be accepted. */
  expected?: number;
  /** In a batch: the first event that was refused. */
  index?: number;
};

export type AutomationRunTemplate = {
  /** The id of the template. */
  id: string;
  /** The short name of the template. */
  slug: string;
  /** The name that people see. One line. */
  name: string;
  /** The version of the template. Each change adds 1. */
  version: number;
};

export type AutomationRunWaiting = {
  /** The run. */
  runId: string;
  /** The automation. */
  automationId: string;
  /** The name of the automation. */
  automationName: string;
  /** The attempt that a claim would begin. */
  attempt: number;
  /** When it was queued, in milliseconds since 1970. */
  queuedAt: number;
};

export type AutomationRunWithNames = {
  /** The id of the run. */
  id: string;
  /** The automation. */
  automationId: string;
  /** The revision of the automation that ran. */
  automationRevision: number;
  /** Whose run it is. */
  memberId: string;
  /** What started the run. */
  trigger: "schedule" | "manual";
  /** The id of the run that this run repeats. */
  retryOf: string | null;
  /** The moment of the schedule it stands for. */
  occurrenceAt: number | null;
  /** The current state. */
  status: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "skipped";
  /** Why it is in this state. */
  reason: "overlap" | "missed" | "no_runner" | "interrupted" | "lease_lost" | "timed_out" | "reported" | "requested" | "automation_archived" | "resource_missing" | "run_budget_exceeded" | "monthly_budget_exceeded" | null;
  /** The same for a person. */
  reasonDetail: string | null;
  /** How many attempts have begun; the next report of a queued run is for one more. */
  attempt: number;
  /** When the lease ends unless it is renewed, in milliseconds since 1970. */
  leaseExpiresAt: number | null;
  /** When cancellation was requested, in milliseconds since 1970. Null when it was not. */
  cancelRequestedAt: number | null;
  /** The runner's own name for the agent's session. */
  sessionId: string | null;
  /** The runner's own name for the workspace it used. */
  workspaceId: string | null;
  /** The result, in a few sentences. */
  resultSummary: string | null;
  /** Why the run failed. Null when it did not fail. */
  error: {
    /** What happened and what to do, for a person to read. */
    message: string | null;
    /** Whether another attempt may help. */
    retryable: boolean | null;
  } | null;
  /** How many reports came after the lease was lost. They were refused and kept. The count stops at 1,000. */
  lateReports: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was queued, in milliseconds since 1970. */
  queuedAt: number;
  /** When the work began, in milliseconds since 1970. */
  startedAt: number | null;
  /** When the work ended, in milliseconds since 1970. */
  finishedAt: number | null;
  /** Its events were older than the organization keeps them. */
  eventsPrunedAt: number | null;
  /** The name in the revision that ran. */
  automationName: string;
  /** Null when the member has left. */
  memberName: string | null;
  /** The runner of the latest attempt. Null when there is no attempt, or when a person or an API key reports it. */
  runnerName: string | null;
};

export type AutomationRunner = {
  /** The id of the runner. */
  id: string;
  /** The name it gave itself. */
  runnerId: string;
  /** The member of the organization that it belongs to. */
  memberId: string;
  /** The operating system and processor of the runner. */
  platform: string | null;
  /** The version. */
  version: string | null;
  /** How many runs it works on at once. */
  concurrency: number;
  /** Whose runs it takes. */
  serves: "own" | "organization";
  /** How many runs it holds. */
  running: number;
  /** To within some seconds. */
  lastSeenAt: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type AutomationRunnerPage = {
  /** The entries of this page. */
  items: AutomationRunner[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AutomationSchedule = {
  /** Which kind it is. */
  kind: "manual";
} | {
  /** Which kind it is. */
  kind: "once";
  /** When it happened, in milliseconds since 1970. */
  at: number;
  /** An IANA time zone. */
  timezone: string;
} | {
  /** Which kind it is. */
  kind: "daily";
  /** The hour of the day, 0 to 23. */
  hour: number;
  /** The minute of the hour, 0 to 59. */
  minute: number;
  /** IANA name, such as `Europe/Berlin`. */
  timezone: string;
} | {
  /** Which kind it is. */
  kind: "weekly";
  /** 0 is Sunday, 6 is Saturday. */
  daysOfWeek: number[];
  /** The hour of the day, 0 to 23. */
  hour: number;
  /** The minute of the hour, 0 to 59. */
  minute: number;
  /** IANA name, such as `Europe/Berlin`. */
  timezone: string;
} | {
  /** Which kind it is. */
  kind: "cron";
  /** Five fields: minute, hour, day of month, month, day of week. */
  expression: string;
  /** IANA name, such as `Europe/Berlin`. */
  timezone: string;
};

export type AutomationScheduleInput = {
  /** Which kind it is. */
  kind: "manual";
} | {
  /** Which kind it is. */
  kind: "once";
  /** Milliseconds since 1970, or a local time such as `2026-03-08T09:30`. */
  at: number | string;
  /** IANA name, such as `Europe/Berlin`. */
  timezone: string;
} | {
  /** Which kind it is. */
  kind: "daily";
  /** The hour of the day, 0 to 23. */
  hour: number;
  /** The minute of the hour, 0 to 59. */
  minute: number;
  /** IANA name, such as `Europe/Berlin`. */
  timezone: string;
} | {
  /** Which kind it is. */
  kind: "weekly";
  /** 0 is Sunday, 6 is Saturday. */
  daysOfWeek: number[];
  /** The hour of the day, 0 to 23. */
  hour: number;
  /** The minute of the hour, 0 to 59. */
  minute: number;
  /** IANA name, such as `Europe/Berlin`. */
  timezone: string;
} | {
  /** Which kind it is. */
  kind: "cron";
  /** Five fields: minute, hour, day of month, month, day of week. */
  expression: string;
  /** IANA name, such as `Europe/Berlin`. */
  timezone: string;
};

export type AutomationSettings = {
  /** How long the events of finished runs are kept. */
  eventRetentionDays: number;
  /** How long finished runs themselves are kept. */
  runRetentionDays: number;
  /** How long a run waits for a runner before it is skipped. */
  queueTimeoutMinutes: number;
  /** What one run may cost; null: no limit. */
  runBudgetMicros: number | null;
  /** What all runs may cost in a calendar month of UTC; null: no limit. */
  monthlyBudgetMicros: number | null;
  /** The highest cost that one report may have. A report with a higher cost, or with the cost of a whole monthly budget, is held: it counts after an admin has confirmed or corrected it. Null means that only the monthly budget applies. */
  reportCostLimitMicros: number | null;
  /** Owners and admins are told at this share. */
  budgetWarningPercent: number;
};

export type AutomationTemplate = {
  /** The id of the template. */
  id: string;
  /** The short name of the template. Null when the template was deleted. */
  slug: string | null;
  /** Null when the template does not exist any more. */
  name: string | null;
};

export type AutomationUsageGroup = {
  /** The run's, automation's or member's id, the model's name, or the day in UTC. */
  key: string | null;
  /** The name of the automation or member, or of the automation of the run. Null for a model or a day, and when the object does not exist any more. */
  name: string | null;
  /** How many runs reported something. */
  runs: number;
  /** How many input tokens were used. */
  inputTokens: number;
  /** How many output tokens were used. */
  outputTokens: number;
  /** Millionths of the currency your prices are in. */
  costMicros: number;
};

export type AutomationUsagePage = {
  /** The entries of this page. */
  items: AutomationUsageGroup[];
  /** The sums over everything that matches the filters. */
  totals: AutomationUsageTotals;
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AutomationUsageTotals = {
  /** How many input tokens were used. */
  inputTokens: number;
  /** How many output tokens were used. */
  outputTokens: number;
  /** Millionths of the currency your prices are in. */
  costMicros: number;
};

export type Claim = {
  /** For a person: whoever opens it and signs in becomes the owner. */
  url: string;
  /** What the link carries, for programs. */
  token: string;
  /** When it expires, in milliseconds since 1970. Null when it never expires. */
  expiresAt: number;
};

export type ClientNotConfigured = {
  /** A code that programs can act on. */
  error: "client_not_configured";
  /** What to do. */
  message: string;
};

export type Conflict = {
  /** A code that programs can act on. */
  error: string;
  /** What happened and what to do, for a person to read. */
  message: string;
};

export type Connector = {
  /** The id of the connector. */
  id: string;
  /** The name of the connector. */
  name: string;
  /** Where the repository is. */
  codehost: "github" | "gitlab" | "gitea" | "forgejo" | "bitbucket" | "git";
  /** Of a code host that is not the public one of its kind. */
  baseUrl: string | null;
  /** The repository, as the code host names it. */
  repository: string;
  /** Where the repository is cloned from. */
  cloneUrl: string;
  /** The full name of the ref, such as `refs/heads/main`. */
  ref: string;
  /** The path from the root of the repository. Empty means the whole repository. */
  folder: string;
  /** Only webhooks of this GitHub App installation are used. Null means any installation. */
  installationId: string | null;
  /** How the repository is read. */
  access: ConnectorAccess;
  /** `disabled` by a person, `disconnected` by the code host: nothing is synced. */
  status: "active" | "disabled" | "disconnected";
  /** Why it is in that state. */
  statusReason: string | null;
  /** What the code host is given as the address of its hook. */
  webhookUrl: string;
  /** The secrets that verify deliveries, without their values. */
  webhookSecrets: WebhookSecret[];
  /** How many templates it keeps in sync. */
  templateCount: number;
  /** What its templates are equal to. */
  syncedCommit: string | null;
  /** When the last successful sync ended, in milliseconds since 1970. */
  syncedAt: number | null;
  /** When heads were last compared without a hook. */
  checkedAt: number | null;
  /** Why they could not be. */
  checkError: string | null;
  /** The newest sync. */
  lastSync: {
    /** The id of the sync. */
    id: string;
    /** How it ended. */
    status: "queued" | "running" | "succeeded" | "failed" | "superseded";
    /** Why the sync failed, as a code. Null when it did not fail. */
    errorCode: string | null;
    /** How many files could not be read. */
    problemCount: number;
  } | null;
  /** The member who created it. Null when the member no longer exists. */
  createdBy: string;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
};

/** How it is read, without what is secret of it. */
export type ConnectorAccess = {
  /** Which kind it is. */
  kind: "none" | "token" | "github_app";
  /** The name to sign in with. Omitted when none was given. */
  username?: string;
  /** The id of the GitHub App. Omitted for other kinds of access. */
  appId?: string;
  /** The installation of the GitHub App. Omitted when the connector's own is used. */
  installationId?: string;
};

export type ConnectorAccessInput = {
  /** Which kind it is. */
  kind: "none";
} | {
  /** Which kind it is. */
  kind: "token";
  /** Shown nowhere again. */
  token: string;
  /** Where the code host asks for a certain one; left out: what its kind expects. */
  username?: unknown & unknown;
} | {
  /** Which kind it is. */
  kind: "github_app";
  /** The App ID or client ID. */
  appId: string | number;
  /** The PEM file's text. Shown nowhere again. */
  privateKey: string;
  /** Defaults to the installation of the connector. */
  installationId?: string | number;
};

export type ConnectorPage = {
  /** The entries of this page. */
  items: Connector[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

/** What to enter at the code host. */
export type ConnectorSetup = {
  /** Where the hook is entered at the code host. */
  page: string | null;
  /** What to do, in order. */
  steps: {
    /** The field, as the code host calls it. */
    label: string;
    /** To copy; null: there is nothing to copy, or it was shown once. */
    value: string | null;
    /** Advice for this step. */
    hint: string | null;
  }[];
  /** What the token or the application must be allowed. */
  permissions: string[];
};

export type ConnectorSync = {
  /** The id of the sync. */
  id: string;
  /** The connector. */
  connectorId: string;
  /** `sweep`: the head had moved and no hook had told. */
  cause: "push" | "created" | "changed" | "manual" | "sweep" | "event";
  /** `superseded`: a later one of the connector did its work too. */
  status: "queued" | "running" | "succeeded" | "failed" | "superseded";
  /** The commit that was pushed. Null when the sync reads whatever the ref points to. Also null for a push verified by the instance's secret, until this connector has read that commit. */
  head: string | null;
  /** What was read. */
  commit: string | null;
  /** The attempt of the run, from 1. */
  attempt: number;
  /** While queued: when it is tried (again). */
  dueAt: number;
  /** Of the last attempt. */
  error: {
    /** A code that programs can act on. */
    code: "address_refused" | "unreachable" | "access_refused" | "repository_not_found" | "rate_limited" | "server_error" | "protocol_error" | "unsupported_repository" | "ref_not_found" | "folder_not_found" | "too_large" | "too_many_templates" | "connector_disabled" | "connector_disconnected" | "worker_lost" | "internal_error";
    /** What happened and what to do, for a person to read. */
    message: string;
    /** False: trying again by itself is of no use. */
    retryable: boolean;
  } | null;
  /** What the sync changed. Null while it has not ended. */
  changes: {
    /** How many were added. */
    added: number;
    /** How many were changed. */
    changed: number;
    /** How many were removed. */
    removed: number;
    /** How many stayed the same. */
    unchanged: number;
  } | null;
  /** The first hundred. */
  problems: SyncProblem[];
  /** How many files could not be read. */
  problemCount: number;
  /** The member; null: nobody asked for it. */
  requestedBy: string | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When the work began, in milliseconds since 1970. */
  startedAt: number | null;
  /** When the work ended, in milliseconds since 1970. */
  finishedAt: number | null;
};

export type ConnectorSyncPage = {
  /** The entries of this page. */
  items: ConnectorSync[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type ConnectorTest = {
  /** Every check passed. */
  ok: boolean;
  /** Each check and its result. */
  checks: {
    /** The name that people see. One line. */
    name: "reachable" | "access" | "ref" | "folder" | "templates";
    /** `skipped`: one before it failed. */
    status: "passed" | "failed" | "skipped";
    /** What happened and what to do, for a person to read. */
    message: string;
  }[];
  /** What the ref points to. */
  commit: string | null;
  /** How many templates the folder would make. */
  templateCount: number | null;
  /** Files that would not become one. The first hundred. */
  problems: {
    /** The file. */
    path: string;
    /** The line of the file. */
    line: number | null;
    /** What happened and what to do, for a person to read. */
    message: string;
  }[];
};

export type Done = {
  /** Whether the request was accepted. */
  ok: true;
};

export type ExternalMcpRequirementsDiscovery = {
  /** The current state. */
  status: "ready" | "manual_action_required" | "unsupported" | "unreachable";
  /** The MCP server that was asked. */
  server: {
    /** The address. */
    url: string;
    /** The revision of MCP that it speaks. */
    protocolVersion?: string;
    /** How the server answered the `initialize` request. */
    initialize: "succeeded" | "authentication_required" | "failed";
  };
  /** Which credentials the server accepts, and how to obtain them. */
  authentication: {
    /** Which kind it is. */
    kind: "none" | "oauth" | "manual_bearer" | "unknown";
    /** What tokens are requested for (RFC 8707). */
    resource?: string;
    /** Where the metadata was found. */
    protectedResourceMetadataUrl?: string;
    /** Where tokens can be obtained. */
    authorizationServers: {
      /** The issuer of the authorization server. */
      issuer: string;
      /** Where people sign in. */
      authorizationEndpoint?: string;
      /** Where tokens are exchanged. */
      tokenEndpoint?: string;
      /** Where clients register themselves. */
      registrationEndpoint?: string;
      /** Whether a URL can be the client id. */
      clientIdMetadataDocumentSupported: boolean;
      /** The scopes that it supports. */
      scopesSupported?: string[];
      /** The grant types that it supports. */
      grantTypesSupported?: string[];
      /** The PKCE methods that it supports. */
      codeChallengeMethodsSupported?: string[];
      /** How clients can authenticate at the token endpoint. */
      tokenEndpointAuthMethodsSupported?: string[];
    }[];
    /** The scopes that the challenge asks for. */
    requiredScopes: string[];
    /** The scopes to ask for. */
    recommendedScopes: string[];
    /** Whether tokens can be refreshed. */
    refreshSupport: "supported" | "not_advertised" | "unknown";
    /** How a client can be registered. */
    availableRegistrationMethods: ("client_metadata" | "dynamic" | "pre_registered")[];
    /** The best of the available registration methods. */
    recommendedRegistrationMethod: "client_metadata" | "dynamic" | "pre_registered";
  };
  /** The tools of the server. */
  tools: {
    /** Whether the tools can be listed without credentials. */
    visibility: "available_without_auth" | "requires_auth" | "unavailable";
    /** How many tools the server has. */
    count?: number;
    /** The entries of this page. */
    items?: {
      /** The name that people see. One line. */
      name: string;
      /** The server declares that the tool changes nothing. */
      readOnlyHint?: boolean;
      /** The server declares that the tool may destroy something. */
      destructiveHint?: boolean;
      /** The server declares that the tool uses outside systems. */
      openWorldHint?: boolean;
    }[];
  };
  /** What a person has to do first. */
  manualRequirements: {
    /** A code that programs can act on. */
    code: string;
    /** A short text for people. */
    label: string;
    /** The reason, as a code or a short text. */
    reason: string;
    /** Whether it is required. */
    required: boolean;
  }[];
  /** Findings that may matter for the connection. */
  warnings: {
    /** A code that programs can act on. */
    code: string;
    /** What happened and what to do, for a person to read. */
    message: string;
  }[];
  /** Only with ?include=evidence. */
  evidence?: ExternalMcpRequirementsDiscoveryEvidence[];
};

export type ExternalMcpRequirementsDiscoveryEvidence = {
  /** What the request was for. */
  step: string;
  /** The HTTP method. */
  method: string;
  /** What looks like a credential is replaced by [redacted]. */
  url: string;
  /** The HTTP status. */
  status?: number;
  /** Why there is no usable answer. `abandoned`: the verdict did not need the answer. */
  failure?: string;
  /** Milliseconds after the discovery began. */
  startedMs: number;
  /** How long the exchange took. */
  ms: number;
  /** What the discovery concluded from the answer. */
  learned: string;
  /** The rule of the RFC or MCP revision that decided. */
  rule: string;
  /** The fields of the result that this exchange decided. */
  decided: string[];
};

export type ExternalMcpRequirementsDiscoveryInput = {
  /** Where the MCP server answers. http or https, without credentials. */
  url: string;
};

export type Forbidden = {
  /** A code that programs can act on. */
  error: "forbidden" | "reauth";
  /** The reason, as a code or a short text. */
  reason?: string;
  /** What happened and what to do, for a person to read. */
  message?: string;
};

export type InternalError = {
  /** A code that programs can act on. */
  error: "internal_error";
  /** The id of the request. The service's log entry for the request has the same id. */
  requestId: string;
};

export type InvalidRequest = {
  /** A code that programs can act on. */
  error: "invalid_request";
  /** What is wrong with the request, with one entry per problem. */
  details: {
    /** What happened and what to do, for a person to read. */
    message: string;
    /** The field that the problem is in. */
    path?: (string | number)[];
  }[];
  /** The missing capability, when that is the reason. */
  capability?: string;
};

export type Invitation = {
  /** The id of the invitation. */
  id: string;
  /** An e-mail address. */
  email: string;
  /** The role: `owner`, `admin`, `member`, or the id of a custom role. */
  role: string;
  /** The display name of the role. */
  roleName: string;
  /** Teams, by id. */
  teamIds: string[];
  /** The current state. */
  status: "pending" | "accepted" | "cancelled" | "expired";
  /** The member who answers for it; null: they left, and it must be sent again to be accepted. */
  invitedBy: string | null;
  /** The name of the person who invited. */
  inviterName: string;
  /** When it expires, in milliseconds since 1970. Null when it never expires. */
  expiresAt: number;
  /** When the mail was last sent, in milliseconds since 1970. */
  sentAt: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type InvitationPage = {
  /** The entries of this page. */
  items: Invitation[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type InvitationPreview = {
  /** The name of the organization. */
  organizationName: string;
  /** Most of it hidden. */
  email: string;
  /** The role: `owner`, `admin`, `member`, or the id of a custom role. */
  role: string;
  /** The display name of the role. */
  roleName: string;
  /** The name of the person who invited. */
  inviterName: string;
  /** The current state. */
  status: "pending" | "accepted" | "cancelled" | "expired";
  /** When it expires, in milliseconds since 1970. Null when it never expires. */
  expiresAt: number;
};

export type McpToken = {
  /** The id of the MCP token. */
  id: string;
  /** The name of the token. */
  name: string;
  /** The first letters of the token, to tell tokens apart. */
  start: string;
  /** The member of the organization that it belongs to. */
  memberId: string;
  /** The names of its scopes. */
  scopes: ("mcp:read" | "mcp:write")[];
  /** When it expires, in milliseconds since 1970. Null when it never expires. */
  expiresAt: number;
  /** To within some seconds. */
  lastUsedAt: number | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type McpTokenPage = {
  /** The entries of this page. */
  items: McpToken[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type Me = {
  /** The person. */
  user: User;
  /** Whether the person has a second factor. */
  twoFactorEnabled: boolean;
  /** What this call was signed with. */
  credential: "session" | "key" | "mcp";
  /** Of an MCP token; null: the credential knows no scopes. */
  scopes: string[] | null;
  /** The organization that requests with this credential act on. */
  activeOrganizationId: string | null;
  /** What this credential may do in the active organization. */
  permissions: string[];
  /** The organizations that the person belongs to. */
  organizations: UserMembership[];
};

export type Member = {
  /** The id of the member. */
  id: string;
  /** The person. */
  userId: string;
  /** An e-mail address. */
  email: string;
  /** The name of the person. */
  name: string;
  /** `owner`, `admin`, `member`, or the id of a role of the organization's own. */
  role: string;
  /** What people call it. */
  roleName: string;
  /** The teams that the member is in. */
  teams: {
    /** The id of the team. */
    id: string;
    /** The name of the team. */
    name: string;
  }[];
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type MemberPage = {
  /** The entries of this page. */
  items: Member[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type MyNotificationSettings = {
  /** For each type of event. `off`: no mails. `own`: mails about my own events. `all`: mails about the events of all members. Null means that the settings of the organization apply. */
  mail: {
    /** A run failed. `all` needs `automations:manage`. */
    "run.failed": "off" | "own" | "all" | null;
    /** A connection to an outside account needs attention. `all` needs `connections:manage`. */
    "connection.needs_attention": "off" | "own" | "all" | null;
    /** The automation costs of the month reached the warning level or the whole budget. `all` needs `usage:read`. */
    "budget.reached": "off" | "all" | null;
    /** A connector could not be synced. `all` needs `connectors:read`. */
    "sync.failed": "off" | "own" | "all" | null;
  };
};

export type NotFound = {
  /** What was not found. */
  error: string;
};

export type NotificationSettings = {
  /** Who gets a mail, for each type of event. `admins`: owners and admins. They also get the mails of a member who has left. */
  mail: {
    /** A run failed. `member`: the owner of the automation. */
    "run.failed": ("member" | "admins")[];
    /** A connection to an outside account needs attention. `member`: the owner of the connection, or the member who made it if it is shared. */
    "connection.needs_attention": ("member" | "admins")[];
    /** The automation costs of the month reached the warning level or the whole budget. */
    "budget.reached": "admins"[];
    /** A connector could not be synced. `member`: the member who created the connector. */
    "sync.failed": ("member" | "admins")[];
  };
};

export type OauthAccessToken = {
  /** The access token. */
  accessToken: string;
  /** The type of the token, for the `Authorization` header. */
  tokenType: "Bearer";
  /** When it expires, in milliseconds since 1970. Null when it never expires. */
  expiresAt: number | null;
  /** The scopes that were granted. */
  scopes: string[];
  /** The connection. */
  connectionId: string;
  /** The label of the connection. It tells several accounts at one provider apart. */
  account: string;
};

export type OauthClient = {
  /** The provider. */
  providerId: string;
  /** The client id that the provider gave. */
  clientId: string;
  /** Register exactly this one at the provider. */
  redirectUri: string;
  /** How the client authenticates at the token endpoint. */
  tokenEndpointAuthMethod: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none";
  /** The secret itself is never shown again. */
  hasSecret: boolean;
  /** For `private_key_jwt`: the JWK to register at the provider. */
  publicKey: Record<string, unknown> | null;
  /** The tenant at the provider, where it has several. */
  tenant: string | null;
  /** Asked for with every connection. */
  scopes: string[];
  /** What members may ask for besides. */
  optionalScopes: string[];
  /** `organization`: only shared connections, made by an admin. `personal`: members make their own. */
  connectionMode: "personal" | "organization";
  /** Whether the client has everything that the provider needs. */
  complete: boolean;
  /** What it still needs before anybody can connect. */
  missing: string[];
  /** How many live connections were made with it. */
  connections: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
};

export type OauthConnectStart = {
  /** Where the person signs in and agrees. */
  authorizeUrl: string;
};

export type OauthConnection = {
  /** The id of the connection. */
  id: string;
  /** The provider. */
  providerId: string;
  /** The label it was made under. */
  account: string;
  /** The organization's, for those who were given it. */
  shared: boolean;
  /** Whose it is; null: shared, or of a member who has left. */
  memberId: string | null;
  /** Which account at the provider; null: it does not say. */
  outsideAccount: {
    /** The id of the account at the provider. */
    subject: string;
    /** The name of the person. */
    name: string | null;
  } | null;
  /** The health of the connection. */
  health: OauthConnectionHealth;
  /** The names of its scopes. */
  scopes: {
    /** What was asked for. */
    requested: string[];
    /** What was granted. */
    granted: string[];
    /** Requested and not granted. */
    missing: string[];
  };
  /** Of the access token at hand; null: it does not expire. */
  tokenExpiresAt: number | null;
  /** A new access token is got without anybody's help. */
  refreshes: boolean;
  /** When it was last used, in milliseconds since 1970. Null when it was never used. */
  lastUsedAt: number;
  /** The member who connected it. */
  connectedBy: string;
  /** When the account was connected, in milliseconds since 1970. */
  connectedAt: number;
  /** When it ended, in milliseconds since 1970. Null while it has not ended. */
  endedAt: number | null;
  /** Once it has ended: whether the provider was told. */
  revocation: {
    /** The current state. */
    status: "pending" | "revoked" | "not_offered" | "failed" | "unneeded";
    /** How many attempts were made to revoke the token. */
    attempts: number;
    /** What happened and what to do, for a person to read. */
    message: string;
    /** When it happened, in milliseconds since 1970. */
    at: number | null;
  } | null;
};

export type OauthConnectionEvent = {
  /** The id of the event. */
  id: string;
  /** Which kind it is. */
  type: "connected" | "connect_refused" | "token_issued" | "refreshed" | "refresh_failed" | "reconnect_needed" | "uncertain" | "disconnected" | "revoked" | "revoke_failed" | "access_changed" | "client_saved" | "client_removed" | "provider_added" | "provider_removed";
  /** Who; null: the service itself. */
  memberId: string | null;
  /** The kind of credential: `session`, `key`, `runner` or `run`. */
  credential: string | null;
  /** The id of the credential. For `run`, the id of the run. */
  credentialId: string | null;
  /** The network address that the request came from. */
  address: string | null;
  /** The `User-Agent` header of the request, shortened. */
  userAgent: string | null;
  /** More details. For a token that was issued to a run, `holder` is the runner or member that held the run. */
  detail: Record<string, unknown>;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type OauthConnectionEventPage = {
  /** The entries of this page. */
  items: OauthConnectionEvent[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type OauthConnectionGrants = {
  /** Every member may use it. */
  everyone: boolean;
  /** Members, by id. */
  memberIds: string[];
  /** Whoever is in one of these teams may use it, while they are. */
  teamIds: string[];
};

export type OauthConnectionHealth = {
  /** The current state. */
  status: "connected" | "expiring" | "needs_reconnect" | "uncertain" | "ended";
  /** Why it is unhealthy. Null when it is healthy. */
  reason: "no_refresh" | "provider_unavailable" | "client_rejected" | "revoked_at_provider" | "expired" | "refresh_uncertain" | "disconnected" | "client_changed" | "member_removed" | null;
  /** What that means, and what to do about it. */
  message: string;
};

export type OauthConnectionPage = {
  /** The entries of this page. */
  items: OauthConnection[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type OauthProvider = {
  /** The id of the provider. */
  id: string;
  /** The name of the provider. */
  name: string;
  /** Where the provider says how to register a client. */
  documentation: string | null;
  /** Added by this organization. */
  custom: boolean;
  /** The issuer of the authorization server. */
  issuer: string | null;
  /** null: known once a tenant is given, or the issuer was asked. */
  authorizationEndpoint: string | null;
  /** Where tokens are exchanged. */
  tokenEndpoint: string | null;
  /** The provider can be told that a token is not used any more. */
  revocable: boolean | null;
  /** What becomes of refresh tokens there. */
  refresh: "rotating" | "reusable" | "none";
  /** Asked for unless the client says otherwise. */
  scopes: string[];
  /** Scopes that a member can request in addition to `scopes`. */
  optionalScopes: string[];
  /** What the client needs as `tenant`. */
  tenant: {
    /** A short text for people. */
    label: string;
    /** An example value. */
    example: string;
    /** The value that is used when none is given. */
    default?: string;
  } | null;
  /** How clients can authenticate at the token endpoint. */
  tokenEndpointAuthMethods: ("client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none")[];
  /** Register exactly this one at the provider. */
  redirectUri: string;
  /** The organization has saved a client. */
  configured: boolean;
  /** Whether members connect their own accounts, or share one. */
  connectionMode: "personal" | "organization" | null;
  /** How many working connections the caller can use. */
  connections: number;
};

export type OauthProviderPage = {
  /** The entries of this page. */
  items: OauthProvider[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type Organization = {
  /** The id of the organization. */
  id: string;
  /** The name of the organization. */
  name: string;
  /** A short name for URLs: lower-case letters, digits and hyphens. */
  slug: string;
  /** Who may be invited; empty: anyone. */
  allowedEmailDomains: string[];
  /** How long a sign-in counts here; null: no limit of its own. */
  sessionMaxAgeMinutes: number | null;
  /** Whether members must sign in through single sign-on. */
  requireSso: boolean;
  /** When it goes unless somebody claims it; null: somebody owns it. */
  provisionalUntil: number | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
};

export type OrganizationPage = {
  /** The entries of this page. */
  items: Organization[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type PayloadTooLarge = {
  /** A code that programs can act on. */
  error: "payload_too_large";
  /** What happened and what to do, for a person to read. */
  message: string;
};

export type Permission = {
  /** The permission. */
  name: string;
  /** What it allows. */
  description: string;
  /** The built-in roles that have it. */
  roles: ("owner" | "admin" | "member")[];
};

export type Permissions = {
  /** The entries of this page. */
  items: Permission[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: null;
};

export type Quota = {
  /** The name that people see. One line. */
  name: string;
  /** `count`: objects that exist now. `bytes`: storage. `per_day`: since midnight UTC. */
  unit: "count" | "bytes" | "per_day";
  /** A text for people that says what it is for. */
  description: string;
  /** Null when there is no limit. */
  limit: number | null;
  /** Null when the limit applies to each object separately. Bytes can be some seconds out of date. */
  used: number | null;
  /** True when the operator set this limit for this organization only. */
  overridden: boolean;
  /** When the bytes were last measured exactly. Null before that, and for other units. */
  measuredAt: number | null;
};

export type Quotas = {
  /** The entries of this page. */
  items: Quota[];
  /** True while nobody has claimed this workspace. Its limits are small until then. */
  provisional: boolean;
};

export type RateLimited = {
  /** A code that programs can act on. */
  error: "rate_limited";
  /** What happened and what to do, for a person to read. */
  message: string;
};

export type Readiness = {
  /** The current state. */
  status: "ready" | "not_ready";
  /** Each check and its result. */
  checks: {
    /** Whether the database answers. */
    database: "ok" | "failing";
    /** Whether the database has the schema of this version. */
    migrations: "ok" | "failing";
    /** Whether background jobs are processed. */
    jobs: "ok" | "failing";
  };
};

export type RefusedDelivery = {
  /** The id of the entry. */
  id: string;
  /** The sender's IP address, determined with `TRUSTED_PROXIES`. */
  address: string;
  /** The code host that the headers name. Null when they match no known code host. */
  dialect: "github" | "gitlab" | "gitea" | "forgejo" | "bitbucket" | null;
  /** Why it was refused. */
  reason: "unknown_code_host" | "other_code_host" | "signature_missing" | "signature_malformed" | "timestamp_out_of_range" | "signature_mismatch" | "no_webhook_secret";
  /** When it was refused, in milliseconds since 1970. */
  refusedAt: number;
};

export type RefusedDeliveryPage = {
  /** The entries of this page. */
  items: RefusedDelivery[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type RequirementsDiscoveryFailed = {
  /** A code that programs can act on. */
  error: "requirements_discovery_failed";
  /** What to do. */
  message: string;
};

export type Role = {
  /** What a member's `role` says: `owner`, `admin`, `member`, or `role_…`. */
  id: string;
  /** The name of the role. */
  name: string;
  /** What the role is for. */
  description: string;
  /** The names of its permissions. */
  permissions: string[];
  /** Whether it is built in. A built-in role cannot be changed. */
  builtIn: boolean;
  /** How many members it has. */
  memberCount: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number | null;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number | null;
};

export type RolePage = {
  /** The entries of this page. */
  items: Role[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type SignedIn = {
  /** Send it as `Authorization: Bearer <token>`. */
  token: string;
  /** The person. */
  user: User;
};

/** A file that did not become a template, and why. */
export type SyncProblem = {
  /** The file. */
  path: string;
  /** The line of the file. */
  line: number | null;
  /** What happened and what to do, for a person to read. */
  message: string;
};

export type Team = {
  /** The id of the team. */
  id: string;
  /** The name of the team. */
  name: string;
  /** What the team is for. */
  description: string;
  /** How many members it has. */
  memberCount: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
};

export type TeamPage = {
  /** The entries of this page. */
  items: Team[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type Template = {
  /** The id of the template. */
  id: string;
  /** What programs call it by; one of each in an organization. */
  slug: string;
  /** The name that people see. One line. */
  name: string;
  /** A text for people that says what it is for. */
  description: string;
  /** Words to find the template by. */
  tags: string[];
  /** Counts up with each change. */
  version: number;
  /** The file it follows; null: made by hand. */
  source: TemplateSource | null;
  /** The member; null: a sync. */
  createdBy: string | null;
  /** The member; null: a sync. */
  updatedBy: string | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
  /** The text of the template, in Markdown. */
  body: string;
  /** Whatever else it carries. */
  metadata: Record<string, unknown>;
};

export type TemplatePage = {
  /** The entries of this page. */
  items: TemplateSummary[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type TemplateSource = {
  /** The connector. */
  connectorId: string;
  /** The name of the connector. */
  connectorName: string;
  /** Of the file, from the root of the repository. */
  path: string;
  /** The head that this version came with. */
  commit: string;
  /** Who made that commit. */
  author: string | null;
};

export type TemplateSummary = {
  /** The id of the template. */
  id: string;
  /** What programs call it by; one of each in an organization. */
  slug: string;
  /** The name that people see. One line. */
  name: string;
  /** A text for people that says what it is for. */
  description: string;
  /** Words to find the template by. */
  tags: string[];
  /** Counts up with each change. */
  version: number;
  /** The file it follows; null: made by hand. */
  source: TemplateSource | null;
  /** The member; null: a sync. */
  createdBy: string | null;
  /** The member; null: a sync. */
  updatedBy: string | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
};

export type TemplateVersion = {
  /** Counts the versions of the template, from 1. */
  version: number;
  /** A short name for URLs: lower-case letters, digits and hyphens. */
  slug: string;
  /** The name that people see. One line. */
  name: string;
  /** A text for people that says what it is for. */
  description: string;
  /** Words to find the template by. */
  tags: string[];
  /** The commit that it was read from. Null when it was created by hand. */
  commit: string | null;
  /** Who made this version. */
  author: string | null;
  /** The member; null: a sync. */
  createdBy: string | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** The text of the template, in Markdown. */
  body: string;
  /** Other fields from the front matter of the template. */
  metadata: Record<string, unknown>;
};

export type TemplateVersionPage = {
  /** The entries of this page. */
  items: TemplateVersionSummary[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type TemplateVersionSummary = {
  /** Counts the versions of the template, from 1. */
  version: number;
  /** A short name for URLs: lower-case letters, digits and hyphens. */
  slug: string;
  /** The name that people see. One line. */
  name: string;
  /** A text for people that says what it is for. */
  description: string;
  /** Words to find the template by. */
  tags: string[];
  /** The commit that it was read from. Null when it was created by hand. */
  commit: string | null;
  /** Who made this version. */
  author: string | null;
  /** The member; null: a sync. */
  createdBy: string | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type TwoFactor = {
  /** Whether it is switched on. */
  enabled: boolean;
  /** When it was switched on, in milliseconds since 1970. */
  enabledAt: number | null;
  /** Renew them with `POST /v1/me/two-factor/backup-codes`. */
  backupCodesLeft: number;
};

export type TwoFactorRequired = {
  /** The token that the first step of signing in gave. */
  twoFactorToken: string;
  /** When it expires, in milliseconds since 1970. Null when it never expires. */
  expiresAt: number;
};

export type Unauthorized = {
  /** A code that programs can act on. */
  error: "unauthorized";
};

export type Unavailable = {
  /** What is not available. */
  error: string;
  /** What happened and what to do, for a person to read. */
  message?: string;
};

export type User = {
  /** The id of the person. */
  id: string;
  /** An e-mail address. */
  email: string;
  /** Whether the person confirmed the address. */
  emailVerified: boolean;
  /** The name of the person. */
  name: string;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type UserMembership = {
  /** The organization. */
  organizationId: string;
  /** The name of the organization. */
  organizationName: string;
  /** The member of the organization that it belongs to. */
  memberId: string;
  /** The role: `owner`, `admin`, `member`, or the id of a custom role. */
  role: string;
};

export type UserSession = {
  /** The id of the session. */
  id: string;
  /** The one this call was made with. */
  current: boolean;
  /** As far as its user agent tells: `Firefox on Windows`. */
  device: string;
  /** The `User-Agent` header of the request, shortened. */
  userAgent: string;
  /** The network address it was opened from. */
  address: string | null;
  /** How the person signed in. */
  signedInBy: "password" | "sso";
  /** When it last proved who it is: what fresh routes look at. */
  signedInAt: number;
  /** To within some seconds. */
  lastUsedAt: number;
  /** Moves on with its use. */
  expiresAt: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type UserSessionPage = {
  /** The entries of this page. */
  items: UserSession[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type WebhookAccepted = {
  /** Whether the request was accepted. */
  ok: true;
  /** Whether the delivery was accepted. */
  accepted: true;
  /** The event, as the code host names it. */
  event: string;
  /** The code host's own id of the delivery. */
  deliveryId: string;
  /** Whether sync work was queued; false when there was nothing new to do. */
  queued: boolean;
};

export type WebhookDelivery = {
  /** The id of the delivery. */
  id: string;
  /** The code host's own number. */
  deliveryId: string;
  /** Whose secret verified it: the instance's, or that of the connector named in the URL. */
  scope: "instance" | "connector";
  /** The code host that sent it. */
  dialect: string;
  /** The event, as the code host names it. */
  event: string;
  /** Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  action: string | null;
  /** Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  repository: string | null;
  /** Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  ref: string | null;
  /** The commit that was pushed. Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  head: string | null;
  /** Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  installationId: string | null;
  /** `ignored`: `reason` says why nothing follows. `invalid`: `reason` says what is wrong with it. */
  outcome: "accepted" | "ignored" | "invalid";
  /** Why it was ignored or refused. Null when it was accepted. */
  reason: string | null;
  /** The size of the body. Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  bodyBytes: number | null;
  /** The SHA-256 of the body, in hexadecimal. Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  bodySha256: string | null;
  /** False when the delivery was ignored or invalid, because then its body is not stored. */
  bodyStored: boolean;
  /** How often it came again. */
  repeats: number;
  /** When it first came again with another body, which was not taken. */
  alteredAt: number | null;
  /** When the service received it, in milliseconds since 1970. */
  receivedAt: number;
  /** When it was last received, in milliseconds since 1970. */
  lastReceivedAt: number;
  /** The connectors of this organization that it concerned. */
  targets: {
    /** The connector. */
    connectorId: string;
    /** The work it led to; null: there was nothing new to do. */
    syncId: string | null;
  }[];
};

export type WebhookDeliveryDetail = {
  /** The id of the delivery. */
  id: string;
  /** The code host's own number. */
  deliveryId: string;
  /** Whose secret verified it: the instance's, or that of the connector named in the URL. */
  scope: "instance" | "connector";
  /** The code host that sent it. */
  dialect: string;
  /** The event, as the code host names it. */
  event: string;
  /** Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  action: string | null;
  /** Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  repository: string | null;
  /** Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  ref: string | null;
  /** The commit that was pushed. Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  head: string | null;
  /** Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  installationId: string | null;
  /** `ignored`: `reason` says why nothing follows. `invalid`: `reason` says what is wrong with it. */
  outcome: "accepted" | "ignored" | "invalid";
  /** Why it was ignored or refused. Null when it was accepted. */
  reason: string | null;
  /** The size of the body. Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  bodyBytes: number | null;
  /** The SHA-256 of the body, in hexadecimal. Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  bodySha256: string | null;
  /** False when the delivery was ignored or invalid, because then its body is not stored. */
  bodyStored: boolean;
  /** How often it came again. */
  repeats: number;
  /** When it first came again with another body, which was not taken. */
  alteredAt: number | null;
  /** When the service received it, in milliseconds since 1970. */
  receivedAt: number;
  /** When it was last received, in milliseconds since 1970. */
  lastReceivedAt: number;
  /** The connectors of this organization that it concerned. */
  targets: {
    /** The connector. */
    connectorId: string;
    /** The work it led to; null: there was nothing new to do. */
    syncId: string | null;
  }[];
  /** Without secrets and signatures. */
  headers: Record<string, string> | null;
  /** The first MiB of the body. Null without `connectors:manage` and when the body was not stored. Also null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  body: string | null;
  /** How the body is encoded in this reply. */
  bodyEncoding: "utf-8" | "base64" | null;
  /** Whether only the beginning of the body is shown. */
  bodyTruncated: boolean;
};

export type WebhookDeliveryPage = {
  /** The entries of this page. */
  items: WebhookDelivery[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type WebhookEndpoint = {
  /** The id of the endpoint. */
  id: string;
  /** The URL that events are sent to, by POST. */
  url: string;
  /** What it is for. */
  description: string;
  /** The types of events that the endpoint gets. Empty for all types. */
  types: ("run.failed" | "connection.needs_attention" | "budget.reached" | "sync.failed")[];
  /** Whether events are sent to it. */
  status: "enabled" | "disabled";
  /** `member`: a member disabled it. `failing`: every attempt failed for 5 days. `gone`: it answered 410. */
  disabledReason: "member" | "failing" | "gone" | null;
  /** When it was disabled. */
  disabledAt: number | null;
  /** When the current series of failed attempts began. Null while attempts succeed. */
  failingSince: number | null;
  /** When it last accepted an event, to the minute. */
  lastSucceededAt: number | null;
  /** Until this time, events are signed with the previous secret too. */
  previousSecretExpiresAt: number | null;
  /** The member who created it. Null when the member no longer exists. */
  createdBy: string;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
};

export type WebhookEndpointAttempt = {
  /** The number of the attempt, from 1. */
  attempt: number;
  /** When it happened, in milliseconds since 1970. */
  at: number;
  /** The duration in milliseconds. Null when it is unknown. */
  durationMs: number | null;
  /** The HTTP status of the response. Null when there was no response. */
  responseStatus: number | null;
  /** The beginning of the response body, at most 1,024 characters. Null when there was no response, and for callers who may not see the event. */
  response: string | null;
  /** Why the attempt failed. Null when it succeeded. */
  error: string | null;
};

export type WebhookEndpointDelivery = {
  /** The id of the delivery. */
  id: string;
  /** The endpoint that the event is sent to. */
  endpointId: string;
  /** The value of the `webhook-id` header. It is the same in every attempt. */
  eventId: string;
  /** Which kind it is. */
  type: "run.failed" | "connection.needs_attention" | "budget.reached" | "sync.failed" | "endpoint.test";
  /** `pending`: waits for its next attempt. `failed`: is not retried automatically. */
  status: "pending" | "succeeded" | "failed";
  /** The number of attempts so far. */
  attempt: number;
  /** When the next attempt is due. Null when there is none. */
  nextAttemptAt: number | null;
  /** The last attempt. Null before the first attempt. */
  lastAttempt: WebhookEndpointAttempt | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When the work ended, in milliseconds since 1970. */
  finishedAt: number | null;
};

export type WebhookEndpointDeliveryDetail = {
  /** The id of the delivery. */
  id: string;
  /** The endpoint that the event is sent to. */
  endpointId: string;
  /** The value of the `webhook-id` header. It is the same in every attempt. */
  eventId: string;
  /** Which kind it is. */
  type: "run.failed" | "connection.needs_attention" | "budget.reached" | "sync.failed" | "endpoint.test";
  /** `pending`: waits for its next attempt. `failed`: is not retried automatically. */
  status: "pending" | "succeeded" | "failed";
  /** The number of attempts so far. */
  attempt: number;
  /** When the next attempt is due. Null when there is none. */
  nextAttemptAt: number | null;
  /** The last attempt. Null before the first attempt. */
  lastAttempt: WebhookEndpointAttempt | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When the work ended, in milliseconds since 1970. */
  finishedAt: number | null;
  /** The exact body that is sent. */
  body: string;
  /** The last 20 attempts, oldest first. */
  attempts: WebhookEndpointAttempt[];
};

export type WebhookEndpointDeliveryPage = {
  /** The entries of this page. */
  items: WebhookEndpointDelivery[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type WebhookEndpointPage = {
  /** The entries of this page. */
  items: WebhookEndpoint[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type WebhookIgnored = {
  /** Whether the request was accepted. */
  ok: true;
  /** Whether the delivery was accepted. */
  accepted: false;
  /** The reason, as a code or a short text. */
  reason: "event ignored" | "missing delivery id" | "missing installation id" | "missing push metadata" | "no matching connector" | "storage quota exceeded";
};

export type WebhookInvalidSignature = {
  /** Whether the request was accepted. */
  ok: false;
  /** A code that programs can act on. */
  error: "invalid signature";
};

export type WebhookSecret = {
  /** The id of the secret. */
  id: string;
  /** When a hook was last verified by it. */
  lastUsedAt: number | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type WebhookSecretPage = {
  /** The entries of this page. */
  items: WebhookSecret[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type WebhookUnavailable = {
  /** Whether the request was accepted. */
  ok?: false;
  /** What is missing. */
  error: string;
  /** What happened and what to do, for a person to read. */
  message?: string;
};

/** Every operation that replies with JSON or without a body. */
export interface Operations {
  /** The process is up */
  "GET /health": {
    input: object;
    reply: {
      /** The current state. */
      status: "ok";
    };
  };
  /** It can serve: database, migrations, jobs */
  "GET /ready": {
    input: object;
    reply: Readiness;
  };
  /** What is running */
  "GET /version": {
    input: object;
    reply: {
      /** The name that people see. One line. */
      name: "signalbox";
      /** The version. */
      version: string;
      /** The id of the instance. All replicas of an instance have the same one. */
      instance: string;
      /** The public address of the instance, used in mails and by code hosts. */
      publicUrl: string;
      /** The version of Node.js. */
      node: string;
      /** The database and its version. */
      database: string;
    };
  };
  /** This description */
  "GET /openapi.json": {
    input: object;
    reply: Record<string, unknown>;
  };
  /** Make an account */
  "POST /api/auth/sign-up/email": {
    input: {
      body: {
        /** An e-mail address. */
        email: string;
        /** The password, 8 to 128 characters. */
        password: string;
        /** The name of the person. */
        name: string;
        /** The token of an invitation to this address. Required when `SIGNUP` is `invited`. */
        invitationToken?: string;
      };
    };
    reply: SignedIn;
  };
  /** Sign in with a password */
  "POST /api/auth/sign-in/email": {
    input: {
      body: {
        /** An e-mail address. */
        email: string;
        /** The password, 8 to 128 characters. */
        password: string;
      };
    };
    reply: SignedIn | TwoFactorRequired;
  };
  /** Prove again who I am, for routes that need a fresh session */
  "POST /api/auth/reauthenticate": {
    input: {
      body: {
        /** The password, 8 to 128 characters. */
        password?: string;
        /** From the authenticator app, or a backup code. */
        code?: string;
      };
    };
    reply: {
      /** When the person signed in, or last signed in again, in milliseconds since 1970. */
      signedInAt: number;
    };
  };
  /** End this session */
  "POST /api/auth/sign-out": {
    input: object;
    reply: Done;
  };
  /** Ask for a mail to choose a new password */
  "POST /api/auth/request-password-reset": {
    input: {
      body: {
        /** An e-mail address. */
        email: string;
      };
    };
    reply: Done;
  };
  /** Choose a new password with the token from the mail */
  "POST /api/auth/reset-password": {
    input: {
      body: {
        /** The secret token from the link or the reply. */
        token: string;
        /** The new password, 8 to 128 characters. */
        newPassword: string;
        /** Also ends every API key, MCP token and runner token of the person. Default: they stay. */
        endKeysAndTokens?: boolean;
      };
    };
    reply: Done;
  };
  /** Ask for the confirmation mail again */
  "POST /api/auth/send-verification-email": {
    input: object;
    reply: Done;
  };
  /** Confirm the e-mail address of my account */
  "POST /api/auth/verify-email": {
    input: {
      body: {
        /** The secret token from the link or the reply. */
        token: string;
      };
    };
    reply: Done;
  };
  /** Report that somebody else made an account with my e-mail address */
  "POST /api/auth/disown-account": {
    input: {
      body: {
        /** The secret token from the link or the reply. */
        token: string;
      };
    };
    reply: Done;
  };
  /** Where I am signed in */
  "GET /v1/me/sessions": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: UserSessionPage;
  };
  /** Sign out there, at once */
  "DELETE /v1/me/sessions/{id}": {
    input: {
      path: {
        /** The session. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Sign out everywhere but here */
  "POST /v1/me/sessions/end-others": {
    input: object;
    reply: {
      /** How many sessions were ended. */
      ended: number;
    };
  };
  /** Whether my second factor is on, and how many backup codes are left */
  "GET /v1/me/two-factor": {
    input: object;
    reply: {
      /** The second factor. */
      twoFactor: TwoFactor;
    };
  };
  /** Begin to set up a second factor */
  "POST /v1/me/two-factor": {
    input: object;
    reply: {
      /** The secret for the authenticator app. Shown once. */
      secret: string;
      /** For a QR code. */
      uri: string;
    };
  };
  /** Switch the second factor off */
  "DELETE /v1/me/two-factor": {
    input: {
      body: {
        /** Six digits from the authenticator app, or one of the backup codes. */
        code: string;
      };
    };
    reply: undefined;
  };
  /** Switch the second factor on, with a first code from the app */
  "POST /v1/me/two-factor/confirm": {
    input: {
      body: {
        /** Six digits from the authenticator app, or one of the backup codes. */
        code: string;
      };
    };
    reply: {
      /** Each is good once, when the device is lost. Shown once: keep them somewhere safe. */
      backupCodes: string[];
    };
  };
  /** Get new backup codes; the old ones are no longer good */
  "POST /v1/me/two-factor/backup-codes": {
    input: {
      body: {
        /** Six digits from the authenticator app, or one of the backup codes. */
        code: string;
      };
    };
    reply: {
      /** Each is good once, when the device is lost. Shown once: keep them somewhere safe. */
      backupCodes: string[];
    };
  };
  /** The second step of signing in */
  "POST /api/auth/sign-in/two-factor": {
    input: {
      body: {
        /** The token that the first step of signing in gave. */
        twoFactorToken: string;
        /** Six digits from the authenticator app, or one of the backup codes. */
        code: string;
      };
    };
    reply: SignedIn;
  };
  /** Who am I, where, and what may I do */
  "GET /v1/me": {
    input: object;
    reply: Me;
  };
  /** Change my profile */
  "PATCH /v1/me": {
    input: {
      body: {
        /** The name of the person. */
        name: string;
      };
    };
    reply: {
      /** The person. */
      user: User;
    };
  };
  /** Delete my account */
  "DELETE /v1/me": {
    input: {
      body: {
        /** The account's e-mail address, typed out. */
        confirm: string;
        /** The slugs of the organizations that go along. */
        deleteOrganizations?: string[];
      };
    };
    reply: undefined;
  };
  /** Choose the organization this session acts in */
  "POST /v1/me/active-organization": {
    input: {
      body: {
        /** The organization. */
        organizationId: string;
      };
    };
    reply: {
      /** The organization that requests with this credential act on. */
      activeOrganizationId: string;
    };
  };
  /** Make an organization and become its owner */
  "POST /v1/organizations": {
    input: {
      body: {
        /** The name of the organization. */
        name: string;
        /** A short name for URLs: lower-case letters, digits and hyphens. */
        slug?: string;
      };
    };
    reply: {
      /** The organization. */
      organization: Organization;
    };
  };
  /** The organizations I belong to */
  "GET /v1/organizations": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: OrganizationPage;
  };
  /** The active organization */
  "GET /v1/organization": {
    input: object;
    reply: {
      /** The organization. */
      organization: Organization;
    };
  };
  /** Change the active organization */
  "PATCH /v1/organization": {
    input: {
      body: {
        /** The name of the organization. */
        name?: string;
        /** A short name for URLs: lower-case letters, digits and hyphens. */
        slug?: string;
        /** Only addresses of these domains can be invited. An empty list allows every domain. */
        allowedEmailDomains?: string[];
        /** After how many minutes members must sign in again. Null means no limit. */
        sessionMaxAgeMinutes?: number | null;
        /** Whether members must sign in through single sign-on. */
        requireSso?: boolean;
      };
    };
    reply: {
      /** The organization. */
      organization: Organization;
    };
  };
  /** Delete the active organization and everything in it */
  "DELETE /v1/organization": {
    input: {
      body: {
        /** The organization's slug, typed out. */
        confirm: string;
      };
    };
    reply: undefined;
  };
  /** The quotas of the organization, and how much of each is used */
  "GET /v1/organization/quotas": {
    input: object;
    reply: Quotas;
  };
  /** A workspace for an agent that has no account */
  "POST /v1/bootstrap/workspace": {
    input: {
      body: {
        /** The name of the organization. */
        name?: string;
      };
    };
    reply: {
      /** The organization. */
      organization: Organization;
      /** The API key, without its secret. */
      apiKey: ApiKey;
      /** The API key. It is shown once. */
      key: string;
      /** The link with which a person takes over the workspace. */
      claim: Claim;
    };
  };
  /** A new claim link for a provisional workspace */
  "POST /v1/bootstrap/claims": {
    input: object;
    reply: {
      /** The link with which a person takes over the workspace. */
      claim: Claim;
    };
  };
  /** Become the owner of a provisional workspace */
  "POST /v1/bootstrap/claims/accept": {
    input: {
      body: {
        /** The secret token from the link or the reply. */
        token: string;
        /** Ends the key that the agent was given, and runner tokens made with it. Default: it stays. */
        endKey?: boolean;
      };
    };
    reply: {
      /** The member. */
      member: Member;
      /** The organization. */
      organization: Organization;
    };
  };
  /** The invitations of the organization */
  "GET /v1/invitations": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** The current state. */
        status?: "pending" | "accepted" | "cancelled" | "expired";
      };
    };
    reply: InvitationPage;
  };
  /** Invite somebody by e-mail */
  "POST /v1/invitations": {
    input: {
      body: {
        /** An e-mail address. */
        email: string;
        /** The role: `owner`, `admin`, `member`, or the id of a custom role. */
        role: string;
        /** Needs `teams:manage`. */
        teamIds?: string[];
      };
    };
    reply: {
      /** The invitation. */
      invitation: Invitation;
      /** Shown once, for whoever delivers the invitation themselves. */
      token: string;
    };
  };
  /** What an invitation is about, for whoever holds its link */
  "GET /v1/invitations/preview": {
    input: {
      query: {
        /** The secret token from the link or the reply. */
        token: string;
      };
    };
    reply: {
      /** The invitation. */
      invitation: InvitationPreview;
    };
  };
  /** Accept an invitation */
  "POST /v1/invitations/accept": {
    input: {
      body: {
        /** The secret token from the link or the reply. */
        token: string;
      };
    };
    reply: {
      /** The member. */
      member: Member;
      /** The organization. */
      organization: Organization;
    };
  };
  /** Take an invitation back */
  "POST /v1/invitations/{id}/cancel": {
    input: {
      path: {
        /** The invitation. */
        id: string;
      };
    };
    reply: {
      /** The invitation. */
      invitation: Invitation;
    };
  };
  /** Send an invitation again, for 7 more days */
  "POST /v1/invitations/{id}/resend": {
    input: {
      path: {
        /** The invitation. */
        id: string;
      };
    };
    reply: {
      /** The invitation. */
      invitation: Invitation;
      /** Shown once, for whoever delivers the invitation themselves. */
      token: string;
    };
  };
  /** Who belongs to the organization */
  "GET /v1/members": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** Part of a name or an e-mail address, in any case. */
        search?: string;
        /** Only those with this role. */
        role?: string;
        /** Only those in this team. */
        teamId?: string;
      };
    };
    reply: MemberPage;
  };
  /** One member */
  "GET /v1/members/{id}": {
    input: {
      path: {
        /** The member. */
        id: string;
      };
    };
    reply: {
      /** The member. */
      member: Member;
    };
  };
  /** Give a member another role */
  "PATCH /v1/members/{id}": {
    input: {
      path: {
        /** The member. */
        id: string;
      };
      body: {
        /** The role: `owner`, `admin`, `member`, or the id of a custom role. */
        role: string;
      };
    };
    reply: {
      /** The member. */
      member: Member;
    };
  };
  /** Remove a member */
  "DELETE /v1/members/{id}": {
    input: {
      path: {
        /** The member. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Leave the active organization */
  "POST /v1/organization/leave": {
    input: object;
    reply: undefined;
  };
  /** Hand my ownership to another member */
  "POST /v1/members/{id}/transfer-ownership": {
    input: {
      path: {
        /** The member. */
        id: string;
      };
    };
    reply: {
      /** The member. */
      member: Member;
      /** The member who was the owner before. */
      previousOwner: Member;
    };
  };
  /** Everything that can be allowed, and which built-in roles allow it */
  "GET /v1/permissions": {
    input: object;
    reply: Permissions;
  };
  /** The roles of the organization: its own, newest first, then the built-in ones */
  "GET /v1/roles": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: RolePage;
  };
  /** Make a role of permissions */
  "POST /v1/roles": {
    input: {
      body: {
        /** The name of the role. */
        name: string;
        /** What the role is for. */
        description?: string;
        /** The names of its permissions. */
        permissions: ("organization:read" | "organization:update" | "organization:delete" | "members:read" | "members:invite" | "members:manage" | "roles:manage" | "teams:manage" | "api_keys:create" | "api_keys:manage" | "mcp_tokens:create" | "automations:create" | "automations:manage" | "usage:read" | "audit:read" | "audit:manage" | "connectors:read" | "connectors:manage" | "templates:read" | "templates:manage" | "connections:use" | "connections:manage" | "oauth_clients:manage" | "notifications:manage" | "mcp:discover")[];
      };
    };
    reply: {
      /** The role: `owner`, `admin`, `member`, or the id of a custom role. */
      role: Role;
    };
  };
  /** Change a role, for everyone who has it */
  "PATCH /v1/roles/{id}": {
    input: {
      path: {
        /** The role. */
        id: string;
      };
      body: {
        /** The name of the role. */
        name?: string;
        /** What the role is for. */
        description?: string;
        /** The names of its permissions. */
        permissions?: ("organization:read" | "organization:update" | "organization:delete" | "members:read" | "members:invite" | "members:manage" | "roles:manage" | "teams:manage" | "api_keys:create" | "api_keys:manage" | "mcp_tokens:create" | "automations:create" | "automations:manage" | "usage:read" | "audit:read" | "audit:manage" | "connectors:read" | "connectors:manage" | "templates:read" | "templates:manage" | "connections:use" | "connections:manage" | "oauth_clients:manage" | "notifications:manage" | "mcp:discover")[];
      };
    };
    reply: {
      /** The role: `owner`, `admin`, `member`, or the id of a custom role. */
      role: Role;
    };
  };
  /** Remove a role that nobody has */
  "DELETE /v1/roles/{id}": {
    input: {
      path: {
        /** The role. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** The teams of the organization */
  "GET /v1/teams": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: TeamPage;
  };
  /** Make a team */
  "POST /v1/teams": {
    input: {
      body: {
        /** The name of the team. */
        name: string;
        /** What the team is for. */
        description?: string;
      };
    };
    reply: {
      /** The team. */
      team: Team;
    };
  };
  /** One team */
  "GET /v1/teams/{id}": {
    input: {
      path: {
        /** The team. */
        id: string;
      };
    };
    reply: {
      /** The team. */
      team: Team;
    };
  };
  /** Change a team's name or description */
  "PATCH /v1/teams/{id}": {
    input: {
      path: {
        /** The team. */
        id: string;
      };
      body: {
        /** The name of the team. */
        name?: string;
        /** What the team is for. */
        description?: string;
      };
    };
    reply: {
      /** The team. */
      team: Team;
    };
  };
  /** Remove a team */
  "DELETE /v1/teams/{id}": {
    input: {
      path: {
        /** The team. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Put a member into a team; one who is in it stays */
  "PUT /v1/teams/{id}/members/{memberId}": {
    input: {
      path: {
        /** The team. */
        id: string;
        /** The member. */
        memberId: string;
      };
    };
    reply: {
      /** The team. */
      team: Team;
    };
  };
  /** Take a member out of a team; one who is not in it stays out */
  "DELETE /v1/teams/{id}/members/{memberId}": {
    input: {
      path: {
        /** The team. */
        id: string;
        /** The member. */
        memberId: string;
      };
    };
    reply: undefined;
  };
  /** My API keys; those of every member with `api_keys:manage` */
  "GET /v1/api-keys": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: ApiKeyPage;
  };
  /** Make an API key for myself in the active organization */
  "POST /v1/api-keys": {
    input: {
      body: {
        /** The name of the key. */
        name: string;
        /** Milliseconds since 1970; left out: it does not expire. */
        expiresAt?: number;
        /** The names of its permissions. */
        permissions?: ("organization:read" | "organization:update" | "organization:delete" | "members:read" | "members:invite" | "members:manage" | "roles:manage" | "teams:manage" | "api_keys:create" | "api_keys:manage" | "mcp_tokens:create" | "automations:create" | "automations:manage" | "usage:read" | "audit:read" | "audit:manage" | "connectors:read" | "connectors:manage" | "templates:read" | "templates:manage" | "connections:use" | "connections:manage" | "oauth_clients:manage" | "notifications:manage" | "mcp:discover")[];
      };
    };
    reply: {
      /** The API key, without its secret. */
      apiKey: ApiKey;
      /** The API key. It is shown once. */
      key: string;
    };
  };
  /** Replace one of my keys by a new one */
  "POST /v1/api-keys/{id}/rotate": {
    input: {
      path: {
        /** The API key. */
        id: string;
      };
      body: {
        /** 0: the old key ends at once. */
        overlapSeconds?: number;
      };
    };
    reply: {
      /** The API key, without its secret. */
      apiKey: ApiKey;
      /** The API key. It is shown once. */
      key: string;
      /** The key that it replaces, and when that key expires. */
      previous: ApiKey | null;
    };
  };
  /** End an API key at once */
  "DELETE /v1/api-keys/{id}": {
    input: {
      path: {
        /** The API key. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Make a token for an MCP client, for myself in the active organization */
  "POST /v1/mcp/token": {
    input: {
      body: {
        /** The name of the token. */
        name?: string;
        /** `mcp:write` does not include `mcp:read`. */
        scopes?: ("mcp:read" | "mcp:write")[];
      };
    };
    reply: {
      /** The MCP token, without its secret. */
      mcpToken: McpToken;
      /** The secret token from the link or the reply. */
      token: string;
    };
  };
  /** My MCP tokens; those of every member with `api_keys:manage` */
  "GET /v1/mcp/tokens": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: McpTokenPage;
  };
  /** End an MCP token at once */
  "DELETE /v1/mcp/tokens/{id}": {
    input: {
      path: {
        /** The MCP token. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** My automations; those of every member with `automations:manage` */
  "GET /v1/automations": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** Without it, all but archived automations are listed. */
        status?: "active" | "inactive" | "archived";
        /** The member of the organization that it belongs to. */
        memberId?: string;
      };
    };
    reply: AutomationPage;
  };
  /** Make an automation of my own */
  "POST /v1/automations": {
    input: {
      body: {
        /** The name of the automation. */
        name: string;
        /** The instructions for the agent. */
        instructions: string;
        /** When it is due. */
        schedule: AutomationScheduleInput;
        /** The model to use. Null when the runner chooses. */
        model?: {
          /** The provider of the model. */
          providerId: string;
          /** The model, as its provider names it. */
          modelId: string;
        } | null;
        /** Defaults to 3600. */
        maxRuntimeSeconds?: number;
        /** The ids of the templates whose files its runs get. At most 20. */
        templateIds?: string[];
        /** The ids of the connections whose tokens its runs can get. The automation's owner must be allowed to use them. At most 20. */
        connectionIds?: string[];
        /** Whether the schedule is active from the start. */
        active?: boolean;
      };
    };
    reply: {
      /** The automation. */
      automation: Automation;
    };
  };
  /** One automation */
  "GET /v1/automations/{id}": {
    input: {
      path: {
        /** The automation. */
        id: string;
      };
    };
    reply: {
      /** The automation. */
      automation: Automation;
    };
  };
  /** Write the automation's next revision */
  "PATCH /v1/automations/{id}": {
    input: {
      path: {
        /** The automation. */
        id: string;
      };
      body: {
        /** The name that people see. One line. */
        name?: string;
        /** The instructions for the agent. */
        instructions?: string;
        /** When it is due. */
        schedule?: AutomationScheduleInput;
        /** The model to use. Null when the runner chooses. */
        model?: {
          /** The provider of the model. */
          providerId: string;
          /** The model, as its provider names it. */
          modelId: string;
        } | null;
        /** How long one attempt may take, in seconds. A longer attempt is stopped. */
        maxRuntimeSeconds?: number;
        /** The ids of the templates whose files its runs get. At most 20. */
        templateIds?: string[];
        /** The ids of the connections whose tokens its runs can get. The automation's owner must be allowed to use them. At most 20. */
        connectionIds?: string[];
        /** Refused unless this is still the current one. */
        expectedRevision?: number;
        /** Hands it to another member; needs `automations:manage`. */
        memberId?: string;
      };
    };
    reply: {
      /** The automation. */
      automation: Automation;
    };
  };
  /** Let its schedule count from now on */
  "POST /v1/automations/{id}/activate": {
    input: {
      path: {
        /** The automation. */
        id: string;
      };
    };
    reply: {
      /** The automation. */
      automation: Automation;
    };
  };
  /** Let its schedule rest; it can still be run by hand */
  "POST /v1/automations/{id}/deactivate": {
    input: {
      path: {
        /** The automation. */
        id: string;
      };
    };
    reply: {
      /** The automation. */
      automation: Automation;
    };
  };
  /** Put it away for good: it is kept to read, and does not run again */
  "POST /v1/automations/{id}/archive": {
    input: {
      path: {
        /** The automation. */
        id: string;
      };
    };
    reply: {
      /** The automation. */
      automation: Automation;
    };
  };
  /** Run it now */
  "POST /v1/automations/{id}/run": {
    input: {
      path: {
        /** The automation. */
        id: string;
      };
    };
    reply: {
      /** The run. */
      run: AutomationRunWithNames;
    };
  };
  /** Run it again */
  "POST /v1/automation-runs/{id}/retry": {
    input: {
      path: {
        /** The run. */
        id: string;
      };
    };
    reply: {
      /** The run. */
      run: AutomationRunWithNames;
    };
  };
  /** Everything it ever said, newest first */
  "GET /v1/automations/{id}/revisions": {
    input: {
      path: {
        /** The automation. */
        id: string;
      };
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: AutomationRevisionPage;
  };
  /** When a schedule would be due, before it is saved */
  "POST /v1/automation-schedules/preview": {
    input: {
      body: {
        /** When it is due. */
        schedule: AutomationScheduleInput;
        /** How many occurrences to return. */
        count?: number;
        /** From when on; left out: now. */
        after?: number;
      };
    };
    reply: {
      /** The next times at which it is due. */
      occurrences: {
        /** When it happened, in milliseconds since 1970. */
        at: number;
        /** The same moment as the clocks of the time zone show it. */
        local: string;
      }[];
    };
  };
  /** Retention and budgets of the organization's runs */
  "GET /v1/automation-settings": {
    input: object;
    reply: {
      /** The settings. */
      settings: AutomationSettings;
    };
  };
  /** Change retention and budgets */
  "PATCH /v1/automation-settings": {
    input: {
      body: {
        /** How long the events of finished runs are kept. */
        eventRetentionDays?: number;
        /** How long finished runs themselves are kept. */
        runRetentionDays?: number;
        /** How long a run waits for a runner before it is skipped. */
        queueTimeoutMinutes?: number;
        /** What one run may cost; null: no limit. */
        runBudgetMicros?: number | null;
        /** What all runs may cost in a calendar month of UTC; null: no limit. */
        monthlyBudgetMicros?: number | null;
        /** The highest cost that one report may have. A report with a higher cost, or with the cost of a whole monthly budget, is held: it counts after an admin has confirmed or corrected it. Null means that only the monthly budget applies. */
        reportCostLimitMicros?: number | null;
        /** Owners and admins are told at this share. */
        budgetWarningPercent?: number;
      };
    };
    reply: {
      /** The settings. */
      settings: AutomationSettings;
    };
  };
  /** Runs, newest first */
  "GET /v1/automation-runs": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** The automation. */
        automationId?: string;
        /** The member of the organization that it belongs to. */
        memberId?: string;
        /** One or several, separated by commas. */
        status?: string;
        /** Made at this time or later. */
        fromAt?: number;
        /** Made before this time. */
        toAt?: number;
      };
    };
    reply: AutomationRunPage;
  };
  /** One run: what it is, what it ran, what it used */
  "GET /v1/automation-runs/{id}": {
    input: {
      path: {
        /** The run. */
        id: string;
      };
    };
    reply: {
      /** The run. */
      run: AutomationRunWithNames;
      /** What the automation said when this run was made. */
      automation: AutomationAsRun;
      /** The tokens and the cost. */
      usage: AutomationUsageTotals;
      /** The attempts of the run. */
      attempts: AutomationRunAttempt[];
    };
  };
  /** Cancel a run */
  "POST /v1/automation-runs/{id}/cancel": {
    input: {
      path: {
        /** The run. */
        id: string;
      };
    };
    reply: {
      /** The run. */
      run: AutomationRunWithNames;
    };
  };
  /** Take a queued run */
  "POST /v1/automation-runs/{id}/claim": {
    input: {
      path: {
        /** The run. */
        id: string;
      };
    };
    reply: {
      /** The work that was claimed. */
      assignment: AutomationAssignment | null;
    };
  };
  /** Keep the lease, and hear whether to stop */
  "POST /v1/automation-runs/{id}/heartbeat": {
    input: {
      path: {
        /** The run. */
        id: string;
      };
      body: {
        /** The attempt of the run, from 1. */
        attempt: number;
      };
    };
    reply: {
      /** The attempt of the run, from 1. */
      attempt: number;
      /** Whether the lease is still held. */
      leaseValid: true;
      /** Whether the runner must stop the run: somebody cancelled it, or a budget is spent. */
      cancelRequested: boolean;
      /** When the lease ends unless it is renewed, in milliseconds since 1970. */
      leaseExpiresAt: number;
    };
  };
  /** Report how a run ended */
  "POST /v1/automation-runs/{id}/complete": {
    input: {
      path: {
        /** The run. */
        id: string;
      };
      body: AutomationRunCompletion;
    };
    reply: {
      /** The run. */
      run: AutomationRun;
    };
  };
  /** Report an event of a run */
  "POST /v1/automation-runs/{id}/events": {
    input: {
      path: {
        /** The run. */
        id: string;
      };
      body: AutomationRunEventReport;
    };
    reply: {
      /** The event, as the code host names it. */
      event: AutomationRunEvent;
    };
  };
  /** The events of a run, in order */
  "GET /v1/automation-runs/{id}/events": {
    input: {
      path: {
        /** The run. */
        id: string;
      };
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** `desc`: newest first. A cursor is valid only for the order that it was returned with. */
        order?: "asc" | "desc";
      };
    };
    reply: AutomationRunEventPage;
  };
  /** Report several events of a run at once */
  "POST /v1/automation-runs/{id}/events/batch": {
    input: {
      path: {
        /** The run. */
        id: string;
      };
      body: {
        /** The events, in order. */
        events: AutomationRunEventReport[];
      };
    };
    reply: AutomationRunEventsStored;
  };
  /** What was sent after the lease was lost */
  "GET /v1/automation-runs/{id}/late-reports": {
    input: {
      path: {
        /** The run. */
        id: string;
      };
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: AutomationLateReportPage;
  };
  /** Get a token for a runner of mine */
  "POST /v1/automation-runners/token": {
    input: {
      body: {
        /** The runner's own name, the same after a restart. */
        runnerId: string;
        /** The operating system and processor of the runner. */
        platform?: string;
        /** The version. */
        version?: string;
        /** How many runs it does at once. */
        concurrency?: number;
        /** Whose runs it is told of; `organization` needs `automations:manage`. */
        serves?: "own" | "organization";
      };
    };
    reply: {
      /** The secret token from the link or the reply. */
      token: string;
      /** When it expires, in milliseconds since 1970. Null when it never expires. */
      expiresAt: number;
      /** The path of the event stream that tells runners about new work. */
      eventsPath: string;
    };
  };
  /** My runners; those of every member with `automations:manage` */
  "GET /v1/automation-runners": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: AutomationRunnerPage;
  };
  /** End a runner's tokens at once and forget it */
  "DELETE /v1/automation-runners/{id}": {
    input: {
      path: {
        /** The runner. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** What can be claimed, oldest first, and what I hold */
  "GET /v1/automation-runner/work": {
    input: object;
    reply: {
      /** Up to 100. */
      items: AutomationRunWaiting[];
      /** The runs that the caller holds. */
      held: AutomationRunHeld[];
    };
  };
  /** What runs used and cost, by run, automation, member, model or day */
  "GET /v1/automation-usage": {
    input: {
      query?: {
        /** The field that groups the figures. */
        groupBy?: "run" | "automation" | "member" | "model" | "day";
        /** Reported at this time or later. */
        fromAt?: number;
        /** Reported before this time. */
        toAt?: number;
        /** The automation. */
        automationId?: string;
        /** The member of the organization that it belongs to. */
        memberId?: string;
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the previous page. Omit it for the first page. */
        cursor?: string;
      };
    };
    reply: AutomationUsagePage;
  };
  /** Usage reports that are held because they are implausible */
  "GET /v1/automation-usage/held": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: AutomationHeldReportPage;
  };
  /** Confirm or correct the usage in a report of a run */
  "POST /v1/automation-runs/{id}/usage-corrections": {
    input: {
      path: {
        /** The run. */
        id: string;
      };
      body: {
        /** The attempt of the run, from 1. */
        attempt: number;
        /** The sequence of the event. Null for the completion. */
        sequence: number | null;
        /** How many input tokens were used. */
        inputTokens: number;
        /** How many output tokens were used. */
        outputTokens: number;
        /** Millionths of the currency your prices are in. */
        costMicros: number;
        /** The reason. It is recorded in the audit log. */
        reason: string;
      };
    };
    reply: {
      /** The report as it counts after the correction. */
      report: AutomationCorrectedReport;
    };
  };
  /** How much of this month's budget is spent */
  "GET /v1/automation-budget": {
    input: object;
    reply: {
      /** The budget, and how much of it is spent. */
      budget: AutomationBudget;
    };
  };
  /** What was changed, by whom and from where */
  "GET /v1/audit-events": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** An action, or what all of a kind begin with: `member`. */
        action?: string;
        /** A user's or a member's id. */
        actorId?: string;
        /** The kind of credential that was used. */
        credential?: "session" | "key" | "runner" | "run" | "worker" | "scim" | "mcp" | "system";
        /** Only changes of this kind of thing. */
        targetType?: string;
        /** Only changes of this thing. */
        targetId?: string;
        /** Not before this moment. */
        from?: number;
        /** Before this moment. */
        to?: number;
      };
    };
    reply: AuditEventPage;
  };
  /** One entry */
  "GET /v1/audit-events/{id}": {
    input: {
      path: {
        /** The entry. */
        id: string;
      };
    };
    reply: {
      /** The entry. */
      auditEvent: AuditEvent;
    };
  };
  /** The end of the chain, and how long entries are kept */
  "GET /v1/audit-chain": {
    input: object;
    reply: {
      /** The state of the audit chain. */
      chain: AuditChain;
    };
  };
  /** Say how long entries are kept */
  "PATCH /v1/audit-chain": {
    input: {
      body: {
        /** How many days entries are kept. */
        retentionDays: number;
      };
    };
    reply: {
      /** The state of the audit chain. */
      chain: AuditChain;
    };
  };
  /** The organization's templates, without their bodies */
  "GET /v1/templates": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** At most 8 words. All of them must occur in the name, slug, description or tags; case is ignored. */
        q?: string;
        /** Only templates with this tag. */
        tag?: string;
        /** A short name for URLs: lower-case letters, digits and hyphens. */
        slug?: string;
        /** The connector. */
        connectorId?: string;
      };
    };
    reply: TemplatePage;
  };
  /** Make a template by hand */
  "POST /v1/templates": {
    input: {
      body: {
        /** The name that people see. One line. */
        name: string;
        /** Defaults to a slug made from the name. */
        slug?: string;
        /** A text for people that says what it is for. */
        description?: string;
        /** Words to find the template by. */
        tags?: string[];
        /** The text of the template, in Markdown. */
        body: string;
        /** Other fields from the front matter of the template. */
        metadata?: Record<string, unknown>;
      };
    };
    reply: {
      /** The template. */
      template: Template;
    };
  };
  /** One template */
  "GET /v1/templates/{id}": {
    input: {
      path: {
        /** The template. */
        id: string;
      };
    };
    reply: {
      /** The template. */
      template: Template;
    };
  };
  /** Write the template's next version */
  "PATCH /v1/templates/{id}": {
    input: {
      path: {
        /** The template. */
        id: string;
      };
      body: {
        /** The name that people see. One line. */
        name?: string;
        /** A short name for URLs: lower-case letters, digits and hyphens. */
        slug?: string;
        /** A text for people that says what it is for. */
        description?: string;
        /** Words to find the template by. */
        tags?: string[];
        /** The text of the template, in Markdown. */
        body?: string;
        /** Other fields from the front matter of the template. */
        metadata?: Record<string, unknown>;
        /** Refused unless this is still the current one. */
        version?: number;
      };
    };
    reply: {
      /** The template. */
      template: Template;
    };
  };
  /** Remove a template that was made by hand, with everything it ever said */
  "DELETE /v1/templates/{id}": {
    input: {
      path: {
        /** The template. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** What the template said before, without the bodies */
  "GET /v1/templates/{id}/versions": {
    input: {
      path: {
        /** The template. */
        id: string;
      };
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: TemplateVersionPage;
  };
  /** One version of a template */
  "GET /v1/templates/{id}/versions/{version}": {
    input: {
      path: {
        /** The template. */
        id: string;
        /** The number of the version. The first is 1. */
        version: string;
      };
    };
    reply: {
      /** The version. */
      version: TemplateVersion;
    };
  };
  /** The repositories that templates follow */
  "GET /v1/connectors": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: ConnectorPage;
  };
  /** Connect a folder of a repository */
  "POST /v1/connectors": {
    input: {
      body: {
        /** The name of the connector. */
        name: string;
        /** Where the repository is. */
        codehost: "github" | "gitlab" | "gitea" | "forgejo" | "bitbucket" | "git";
        /** Of your own server, such as `https://git.example.com`. */
        baseUrl?: string;
        /** `owner/name`. */
        repository: string;
        /** http or https; left out: made from the others. */
        cloneUrl?: string;
        /** `main`, `refs/heads/main` or `refs/tags/v1`. */
        ref: string;
        /** Left out or empty: the whole repository. */
        folder?: string;
        /** The installation of the GitHub App. Null means any installation. */
        installationId?: string | number;
        /** How the repository is read. */
        access?: ConnectorAccessInput;
      };
    };
    reply: {
      /** The connector. */
      connector: Connector;
      /** The secret to enter at the code host. It is shown once. */
      webhookSecret: string;
      /** What to enter at the code host. */
      setup: ConnectorSetup;
    };
  };
  /** One connector, and what to enter at its code host */
  "GET /v1/connectors/{id}": {
    input: {
      path: {
        /** The connector. */
        id: string;
      };
    };
    reply: {
      /** The connector. */
      connector: Connector;
      /** What to enter at the code host. */
      setup: ConnectorSetup;
    };
  };
  /** Change a connector, switch it off or on */
  "PATCH /v1/connectors/{id}": {
    input: {
      path: {
        /** The connector. */
        id: string;
      };
      body: {
        /** The name of the connector. */
        name?: string;
        /** The address of the code host, where it is not the public one. */
        baseUrl?: string | null;
        /** The repository, as the code host names it. */
        repository?: string;
        /** Where the repository is cloned from. */
        cloneUrl?: string;
        /** The branch or tag that is followed. */
        ref?: string;
        /** The folder of the repository that holds the templates. */
        folder?: string;
        /** The installation of the GitHub App. Null means any installation. */
        installationId?: string | number | null;
        /** How the repository is read. */
        access?: ConnectorAccessInput;
        /** The current state. */
        status?: "active" | "disabled";
      };
    };
    reply: {
      /** The connector. */
      connector: Connector;
      /** What to enter at the code host. */
      setup: ConnectorSetup;
    };
  };
  /** Remove a connector, its deliveries and syncs */
  "DELETE /v1/connectors/{id}": {
    input: {
      path: {
        /** The connector. */
        id: string;
      };
      query?: {
        /** `keep`: its templates become ones made by hand. */
        templates?: "keep" | "remove";
      };
    };
    reply: undefined;
  };
  /** Try to read the repository, step by step, without changing anything */
  "POST /v1/connectors/{id}/test": {
    input: {
      path: {
        /** The connector. */
        id: string;
      };
    };
    reply: {
      /** The result of each step. */
      test: ConnectorTest;
    };
  };
  /** The secrets that a connector's hooks are verified by, without their values */
  "GET /v1/connectors/{id}/webhook-secrets": {
    input: {
      path: {
        /** The connector. */
        id: string;
      };
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: WebhookSecretPage;
  };
  /** Make a second secret, to replace the first without losing a hook */
  "POST /v1/connectors/{id}/webhook-secrets": {
    input: {
      path: {
        /** The connector. */
        id: string;
      };
    };
    reply: {
      /** The secret to enter at the code host. It is shown once. */
      webhookSecret: string;
      /** The secret for the authenticator app. Shown once. */
      secret: WebhookSecret;
    };
  };
  /** End a secret at once */
  "DELETE /v1/connectors/{id}/webhook-secrets/{secretId}": {
    input: {
      path: {
        /** The connector. */
        id: string;
        /** The secret. */
        secretId: string;
      };
    };
    reply: undefined;
  };
  /** Syncs, newest first */
  "GET /v1/connector-syncs": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** The connector. */
        connectorId?: string;
        /** The current state. */
        status?: "queued" | "running" | "succeeded" | "failed" | "superseded";
      };
    };
    reply: ConnectorSyncPage;
  };
  /** One sync */
  "GET /v1/connector-syncs/{id}": {
    input: {
      path: {
        /** The sync. */
        id: string;
      };
    };
    reply: {
      /** The sync. */
      sync: ConnectorSync;
    };
  };
  /** Try a failed sync again now */
  "POST /v1/connector-syncs/{id}/retry": {
    input: {
      path: {
        /** The sync. */
        id: string;
      };
    };
    reply: {
      /** The sync. */
      sync: ConnectorSync;
    };
  };
  /** Sync now */
  "POST /v1/connectors/{id}/sync": {
    input: {
      path: {
        /** The connector. */
        id: string;
      };
    };
    reply: {
      /** The sync. */
      sync: ConnectorSync;
    };
  };
  /** Receive a webhook of a code host */
  "POST /v1/webhooks/connectors/codehost": {
    input: {
      query?: {
        /** The connector whose secrets verify the delivery; the delivery can be about no other connector. Without it, the instance's secret verifies the delivery. */
        connector?: string;
      };
      body: Record<string, unknown>;
    };
    reply: WebhookIgnored | WebhookAccepted;
  };
  /** Receive a webhook of GitHub alone */
  "POST /v1/webhooks/connectors/github": {
    input: {
      query?: {
        /** The connector whose secrets verify the delivery; the delivery can be about no other connector. Without it, the instance's secret verifies the delivery. */
        connector?: string;
      };
      body: Record<string, unknown>;
    };
    reply: WebhookIgnored | WebhookAccepted;
  };
  /** Receive a webhook of GitLab alone */
  "POST /v1/webhooks/connectors/gitlab": {
    input: {
      query?: {
        /** The connector whose secrets verify the delivery; the delivery can be about no other connector. Without it, the instance's secret verifies the delivery. */
        connector?: string;
      };
      body: Record<string, unknown>;
    };
    reply: WebhookIgnored | WebhookAccepted;
  };
  /** Receive a webhook of Gitea alone */
  "POST /v1/webhooks/connectors/gitea": {
    input: {
      query?: {
        /** The connector whose secrets verify the delivery; the delivery can be about no other connector. Without it, the instance's secret verifies the delivery. */
        connector?: string;
      };
      body: Record<string, unknown>;
    };
    reply: WebhookIgnored | WebhookAccepted;
  };
  /** Receive a webhook of Forgejo alone */
  "POST /v1/webhooks/connectors/forgejo": {
    input: {
      query?: {
        /** The connector whose secrets verify the delivery; the delivery can be about no other connector. Without it, the instance's secret verifies the delivery. */
        connector?: string;
      };
      body: Record<string, unknown>;
    };
    reply: WebhookIgnored | WebhookAccepted;
  };
  /** Receive a webhook of Bitbucket alone */
  "POST /v1/webhooks/connectors/bitbucket": {
    input: {
      query?: {
        /** The connector whose secrets verify the delivery; the delivery can be about no other connector. Without it, the instance's secret verifies the delivery. */
        connector?: string;
      };
      body: Record<string, unknown>;
    };
    reply: WebhookIgnored | WebhookAccepted;
  };
  /** What code hosts sent */
  "GET /v1/webhook-deliveries": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** The connector. */
        connectorId?: string;
        /** Only deliveries with this outcome. */
        outcome?: "accepted" | "ignored" | "invalid";
        /** As the code host names it: `push`, `Push Hook`, `repo:push`. */
        event?: string;
      };
    };
    reply: WebhookDeliveryPage;
  };
  /** One delivery; with `connectors:manage` its headers and body too */
  "GET /v1/webhook-deliveries/{id}": {
    input: {
      path: {
        /** The delivery. */
        id: string;
      };
    };
    reply: {
      /** The delivery. */
      delivery: WebhookDeliveryDetail;
    };
  };
  /** Process a stored delivery again, for the connectors of this organization */
  "POST /v1/webhook-deliveries/{id}/replay": {
    input: {
      path: {
        /** The delivery. */
        id: string;
      };
    };
    reply: {
      /** The delivery. */
      delivery: WebhookDelivery;
      /** Whether work was queued. */
      queued: boolean;
      /** Why nothing follows from it. */
      reason: string | null;
    };
  };
  /** Deliveries that were refused because of their signature */
  "GET /v1/connectors/{id}/refused-deliveries": {
    input: {
      path: {
        /** The connector. */
        id: string;
      };
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: RefusedDeliveryPage;
  };
  /** Read who in the organization gets which mails */
  "GET /v1/notification-settings": {
    input: object;
    reply: {
      /** The settings. */
      settings: NotificationSettings;
    };
  };
  /** Set who in the organization gets which mails */
  "PUT /v1/notification-settings": {
    input: {
      body: NotificationSettings;
    };
    reply: {
      /** The settings. */
      settings: NotificationSettings;
    };
  };
  /** Read which mails I get from the active organization */
  "GET /v1/me/notification-settings": {
    input: object;
    reply: {
      /** The settings. */
      settings: MyNotificationSettings;
      /** Which mails I get, according to my settings and those of the organization. */
      effective: {
        /** A run failed. */
        "run.failed": "off" | "own" | "all";
        /** A connection to an outside account needs attention. */
        "connection.needs_attention": "off" | "own" | "all";
        /** The automation costs of the month reached the warning level or the whole budget. */
        "budget.reached": "off" | "own" | "all";
        /** A connector could not be synced. */
        "sync.failed": "off" | "own" | "all";
      };
      /** Whether my address is confirmed. Without that, no mail is sent. */
      emailVerified: boolean;
    };
  };
  /** Choose which mails I get from the active organization */
  "PUT /v1/me/notification-settings": {
    input: {
      body: MyNotificationSettings;
    };
    reply: {
      /** The settings. */
      settings: MyNotificationSettings;
      /** Which mails I get, according to my settings and those of the organization. */
      effective: {
        /** A run failed. */
        "run.failed": "off" | "own" | "all";
        /** A connection to an outside account needs attention. */
        "connection.needs_attention": "off" | "own" | "all";
        /** The automation costs of the month reached the warning level or the whole budget. */
        "budget.reached": "off" | "own" | "all";
        /** A connector could not be synced. */
        "sync.failed": "off" | "own" | "all";
      };
      /** Whether my address is confirmed. Without that, no mail is sent. */
      emailVerified: boolean;
    };
  };
  /** List the webhook endpoints of the organization */
  "GET /v1/webhook-endpoints": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: WebhookEndpointPage;
  };
  /** Create a webhook endpoint */
  "POST /v1/webhook-endpoints": {
    input: {
      body: {
        /** An https URL. http is allowed only for this machine, if the egress guard allows it. Redirects are not followed. */
        url: string;
        /** What the endpoint is for. */
        description?: string | "";
        /** The types of events to send. Empty for all types, including those of later versions. */
        types?: ("run.failed" | "connection.needs_attention" | "budget.reached" | "sync.failed")[];
      };
    };
    reply: {
      /** The endpoint, without its secret. */
      webhookEndpoint: WebhookEndpoint;
      /** The secret to verify signatures with. It is shown only once. */
      secret: string;
    };
  };
  /** Read a webhook endpoint */
  "GET /v1/webhook-endpoints/{id}": {
    input: {
      path: {
        /** The endpoint. */
        id: string;
      };
    };
    reply: {
      /** The endpoint, without its secret. */
      webhookEndpoint: WebhookEndpoint;
    };
  };
  /** Change an endpoint, disable or enable it */
  "PATCH /v1/webhook-endpoints/{id}": {
    input: {
      path: {
        /** The endpoint. */
        id: string;
      };
      body: {
        /** An https URL. http is allowed only for this machine, if the egress guard allows it. Redirects are not followed. */
        url?: string;
        /** What the endpoint is for. */
        description?: string | "";
        /** The types of events to send. Empty for all types, including those of later versions. */
        types?: ("run.failed" | "connection.needs_attention" | "budget.reached" | "sync.failed")[];
        /** The current state. */
        status?: "enabled" | "disabled";
      };
    };
    reply: {
      /** The endpoint, without its secret. */
      webhookEndpoint: WebhookEndpoint;
    };
  };
  /** Remove a webhook endpoint and its deliveries */
  "DELETE /v1/webhook-endpoints/{id}": {
    input: {
      path: {
        /** The endpoint. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Replace the secret of an endpoint */
  "POST /v1/webhook-endpoints/{id}/rotate-secret": {
    input: {
      path: {
        /** The endpoint. */
        id: string;
      };
      body: {
        /** How long the old secret stays valid: a day by default, a week at most. With 0 it ends at once. */
        overlapSeconds?: number;
      };
    };
    reply: {
      /** The endpoint, without its secret. */
      webhookEndpoint: WebhookEndpoint;
      /** The secret to verify signatures with. It is shown only once. */
      secret: string;
    };
  };
  /** List the deliveries to an endpoint and its responses */
  "GET /v1/webhook-endpoints/{id}/deliveries": {
    input: {
      path: {
        /** The endpoint. */
        id: string;
      };
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** Only deliveries in this state. */
        status?: "pending" | "succeeded" | "failed";
      };
    };
    reply: WebhookEndpointDeliveryPage;
  };
  /** One delivery with its body and its attempts */
  "GET /v1/webhook-endpoints/{id}/deliveries/{deliveryId}": {
    input: {
      path: {
        /** The endpoint. */
        id: string;
        /** The delivery. */
        deliveryId: string;
      };
    };
    reply: {
      /** The delivery. */
      delivery: WebhookEndpointDeliveryDetail;
    };
  };
  /** Send a delivery again */
  "POST /v1/webhook-endpoints/{id}/deliveries/{deliveryId}/retry": {
    input: {
      path: {
        /** The endpoint. */
        id: string;
        /** The delivery. */
        deliveryId: string;
      };
    };
    reply: {
      /** The delivery. */
      delivery: WebhookEndpointDelivery;
    };
  };
  /** Send a test event to an endpoint */
  "POST /v1/webhook-endpoints/{id}/test": {
    input: {
      path: {
        /** The endpoint. */
        id: string;
      };
    };
    reply: {
      /** The delivery. */
      delivery: WebhookEndpointDelivery;
    };
  };
  /** Find out how an external MCP server must be connected */
  "POST /v1/mcp-connections/discover": {
    input: {
      query?: {
        /** `evidence` adds every request that was made, what it taught and the rule that decided. */
        include?: "evidence";
      };
      body: ExternalMcpRequirementsDiscoveryInput;
    };
    reply: ExternalMcpRequirementsDiscovery;
  };
  /** Providers that accounts can be connected at */
  "GET /v1/oauth-providers": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** Only those with, or without, a client. */
        configured?: "true" | "false";
      };
    };
    reply: OauthProviderPage;
  };
  /** Add a provider of the organization's own */
  "POST /v1/oauth-providers": {
    input: {
      body: {
        /** The id of the provider. When omitted, it is derived from the name. */
        id: string;
        /** The name that people see. One line. */
        name: string;
        /** The issuer of the authorization server. */
        issuer?: string;
        /** Where people sign in. */
        authorizationEndpoint?: string;
        /** Where tokens are exchanged. */
        tokenEndpoint?: string;
        /** Where tokens are revoked (RFC 7009). */
        revocationEndpoint?: string;
        /** Says which account it is, in the manner of OpenID Connect. */
        userinfoEndpoint?: string;
        /** The names of its scopes. */
        scopes?: string[];
        /** The separator between scopes. */
        scopeSeparator?: " " | ",";
        /** Sent along to the authorization endpoint, such as `access_type`. */
        authorizeParameters?: Record<string, string>;
        /** Refresh tokens stay good after use: then one may be sent again when an answer was lost. */
        reusableRefreshTokens?: boolean;
      };
    };
    reply: {
      /** The provider. */
      provider: OauthProvider;
    };
  };
  /** One provider */
  "GET /v1/oauth-providers/{providerId}": {
    input: {
      path: {
        /** The provider. */
        providerId: string;
      };
    };
    reply: {
      /** The provider. */
      provider: OauthProvider;
    };
  };
  /** Remove a provider of the organization's own, and its client */
  "DELETE /v1/oauth-providers/{providerId}": {
    input: {
      path: {
        /** The provider. */
        providerId: string;
      };
      query?: {
        /** End the connections made with it. */
        endConnections?: "true" | "false";
      };
    };
    reply: undefined;
  };
  /** Save the organization's OAuth client for a provider */
  "PUT /v1/oauth-providers/{providerId}/client": {
    input: {
      path: {
        /** The provider. */
        providerId: string;
      };
      body: {
        /** The client id that the provider gave. */
        clientId: string;
        /** The client secret. It is never shown again. */
        clientSecret?: string;
        /** How the client authenticates at the token endpoint. */
        tokenEndpointAuthMethod?: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none";
        /** For `private_key_jwt`, in PEM; left out: one is made, and only its public half is shown. */
        privateKey?: string;
        /** The id of the signing key. */
        keyId?: string;
        /** The tenant at the provider, where it has several. */
        tenant?: string;
        /** The names of its scopes. */
        scopes?: string[];
        /** Scopes that a member can request in addition to `scopes`. */
        optionalScopes?: string[];
        /** Whether members connect their own accounts, or share one. */
        connectionMode?: "personal" | "organization";
        /** End every connection that was made with it. */
        endConnections?: boolean;
      };
    };
    reply: {
      /** The OAuth client. */
      client: OauthClient;
    };
  };
  /** The organization's OAuth client for a provider, without its secret */
  "GET /v1/oauth-providers/{providerId}/client": {
    input: {
      path: {
        /** The provider. */
        providerId: string;
      };
    };
    reply: {
      /** The OAuth client. */
      client: OauthClient;
    };
  };
  /** Remove the organization's OAuth client for a provider */
  "DELETE /v1/oauth-providers/{providerId}/client": {
    input: {
      path: {
        /** The provider. */
        providerId: string;
      };
      query?: {
        /** End the connections made with it. */
        endConnections?: "true" | "false";
      };
    };
    reply: undefined;
  };
  /** Begin connecting my account at a provider */
  "GET /v1/oauth-providers/{providerId}/connect/start": {
    input: {
      path: {
        /** The provider. */
        providerId: string;
      };
      query?: {
        /** A label, to have several accounts at one provider. Default `default`. */
        account?: string;
        /** Scopes to ask for besides the client's, separated by spaces: those that the client allows. */
        scopes?: string;
        /** `true`: a connection of the organization. Needs `connections:manage`. */
        shared?: "true" | "false";
        /** A path on this site that the last page links back to. */
        returnTo?: string;
        /** For browsers only: the confirmation from the page that asks whether to continue. Valid for ten minutes. */
        confirm?: string;
      };
    };
    reply: OauthConnectStart;
  };
  /** Claim what a browser without my session brought back */
  "POST /v1/oauth-providers/{providerId}/connect/claim": {
    input: {
      path: {
        /** The provider. */
        providerId: string;
      };
      body: {
        /** As the page shows it. */
        code: string;
      };
    };
    reply: {
      /** The connection. */
      connection: OauthConnection;
    };
  };
  /** My connections to a provider, and how they are */
  "GET /v1/oauth-providers/{providerId}/status": {
    input: {
      path: {
        /** The provider. */
        providerId: string;
      };
    };
    reply: {
      /** The provider. */
      providerId: string;
      /** Whether the organization has a client for the provider. */
      configured: boolean;
      /** At least one of them works. */
      connected: boolean;
      /** The caller's connections. */
      connections: OauthConnection[];
    };
  };
  /** A valid access token of mine, for an agent that works for me */
  "POST /v1/oauth-providers/{providerId}/token": {
    input: {
      path: {
        /** The provider. */
        providerId: string;
      };
      body?: {
        /** The connection. */
        connectionId?: string;
        /** The label of the connection. It tells several accounts at one provider apart. */
        account?: string;
        /** How long it should still be good for. What the provider gives for less is renewed at half its time. */
        minTtlSeconds?: number;
        /** What it must allow. */
        scopes?: string[];
      };
    };
    reply: OauthAccessToken;
  };
  /** End my connection to a provider */
  "POST /v1/oauth-providers/{providerId}/disconnect": {
    input: {
      path: {
        /** The provider. */
        providerId: string;
      };
      body?: {
        /** The connection. */
        connectionId?: string;
        /** The label of the connection. It tells several accounts at one provider apart. */
        account?: string;
      };
    };
    reply: {
      /** The connection. */
      connection: OauthConnection;
    };
  };
  /** My connections and the shared ones I may use; everyone's with `connections:manage` */
  "GET /v1/oauth-connections": {
    input: {
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** The provider. */
        providerId?: string;
        /** `true`: those that have ended, for 90 days. */
        ended?: "true" | "false";
      };
    };
    reply: OauthConnectionPage;
  };
  /** One connection */
  "GET /v1/oauth-connections/{id}": {
    input: {
      path: {
        /** The connection. */
        id: string;
      };
    };
    reply: {
      /** The connection. */
      connection: OauthConnection;
    };
  };
  /** End a connection */
  "DELETE /v1/oauth-connections/{id}": {
    input: {
      path: {
        /** The connection. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** What happened to a connection, and who got a token from it */
  "GET /v1/oauth-connections/{id}/events": {
    input: {
      path: {
        /** The connection. */
        id: string;
      };
      query?: {
        /** How many to return at most. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: OauthConnectionEventPage;
  };
  /** Who may use a shared connection */
  "GET /v1/oauth-connections/{id}/grants": {
    input: {
      path: {
        /** The connection. */
        id: string;
      };
    };
    reply: {
      /** Who may use it. */
      grants: OauthConnectionGrants;
    };
  };
  /** Say who may use a shared connection */
  "PUT /v1/oauth-connections/{id}/grants": {
    input: {
      path: {
        /** The connection. */
        id: string;
      };
      body: {
        /** Every member of the organization. */
        everyone: boolean;
        /** Members, by id. */
        memberIds: string[];
        /** Teams, by id. */
        teamIds?: string[];
      };
    };
    reply: {
      /** Who may use it. */
      grants: OauthConnectionGrants;
    };
  };
}

/** Every operation that replies with a stream of events. */
export interface Streams {
  /** The events of a run as they come */
  "GET /v1/automation-runs/{id}/stream": {
    input: {
      path: {
        /** The run. */
        id: string;
      };
      query?: {
        /** The id of the last message that the caller has. */
        lastEventId?: string;
      };
    };
  };
  /** Be told when there is something to do */
  "GET /v1/automation-runners/events": {
    input: object;
  };
}

/** The operations that accept an `Idempotency-Key`. */
export const idempotentOperations: ReadonlySet<string> = new Set([
  "POST /v1/me/two-factor",
  "POST /v1/organizations",
  "POST /v1/bootstrap/workspace",
  "POST /v1/bootstrap/claims",
  "POST /v1/invitations",
  "POST /v1/roles",
  "POST /v1/teams",
  "POST /v1/api-keys",
  "POST /v1/api-keys/{id}/rotate",
  "POST /v1/mcp/token",
  "POST /v1/automations",
  "POST /v1/automations/{id}/run",
  "POST /v1/automation-runs/{id}/retry",
  "POST /v1/automation-runs/{id}/usage-corrections",
  "POST /v1/templates",
  "POST /v1/connectors",
  "POST /v1/connectors/{id}/webhook-secrets",
  "POST /v1/connector-syncs/{id}/retry",
  "POST /v1/connectors/{id}/sync",
  "POST /v1/webhook-deliveries/{id}/replay",
  "POST /v1/webhook-endpoints",
  "POST /v1/webhook-endpoints/{id}/rotate-secret",
  "POST /v1/webhook-endpoints/{id}/deliveries/{deliveryId}/retry",
  "POST /v1/webhook-endpoints/{id}/test",
  "POST /v1/oauth-providers",
]);
