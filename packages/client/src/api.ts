// Generated from openapi.json by packages/client/generate.ts. Do not edit; run `npm run openapi`.

export type AdminAuditEventPage = {
  /** The entries of this page. */
  items: AuditEvent[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AdminDatabase = {
  /** The size now. */
  bytes: number;
  /** The difference to the first measurement of this time. Null before there is one. */
  growthBytes: number | null;
  /** One measurement per day, oldest first. */
  history: AdminDatabaseSize[];
};

export type AdminDatabaseSize = {
  /** The day of the measurement, in UTC. */
  day: string;
  /** The size of the database. */
  bytes: number;
};

export type AdminMemberCounts = {
  /** All members of all organizations. */
  total: number;
  /** Members with access. */
  active: number;
  /** Members without access. */
  deactivated: number;
};

export type AdminOrganization = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The name that people see. One line. */
  name: string;
  /** A short name for URLs: lower-case letters, digits and hyphens. */
  slug: string;
  /** `provisional`: a workspace that nobody has claimed yet. */
  state: "active" | "suspended" | "provisional";
  /** When it was suspended, in milliseconds since 1970. Null when it is not suspended. */
  suspendedAt: number | null;
  /** Why it was suspended. Null when it is not. */
  suspendedReason: string | null;
  /** All members, also deactivated ones. */
  members: number;
  /** Runs that ended in this time: the sum of the four outcomes. */
  runs: number;
  /** Runs that failed. */
  failures: number;
  /** The cost that was reported and counts, in millionths of the currency. */
  costMicros: number;
  /** Estimated bytes of runs, templates, webhook deliveries and the audit log. */
  storageBytes: number;
  /** The limits that are set for this organization only, by the name of the quota. */
  limits: Record<string, number>;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type AdminOrganizationCounts = {
  /** All organizations. */
  total: number;
  /** Neither suspended nor unclaimed. */
  active: number;
  /** Suspended organizations. */
  suspended: number;
  /** Unclaimed workspaces that are not suspended. */
  provisional: number;
};

export type AdminOrganizationPage = {
  /** The entries of this page. */
  items: AdminOrganization[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AdminOverview = {
  /** The first day of the figures of runs and costs, in UTC. */
  from: string;
  /** The last day of the figures of runs and costs, in UTC. */
  to: string;
  /** Organizations by state. */
  organizations: AdminOrganizationCounts;
  /** Members of all organizations. */
  members: AdminMemberCounts;
  /** Accounts of people. */
  users: AdminUserCounts;
  /** Runs of all organizations. */
  runs: AdminRunCounts;
  /** The cost of this time, in millionths of the currency. */
  costMicros: number;
  /** Runs that failed in this time. */
  failures: number;
  /** Work that waits. */
  queue: AdminQueue;
  /** The size of the database, and how it grows. */
  database: AdminDatabase;
  /** The programs that do the work of organizations. */
  workers: AdminWorkerCounts;
  /** The versions of this process and of its database. */
  version: AdminVersions;
};

export type AdminQueue = {
  /** How many items of all kinds wait. */
  depth: number;
  /** For how long the oldest item has been waiting. Null when none waits. */
  ageMs: number | null;
  /** Work of suspended organizations is not included: it waits until they are restored. */
  items: AdminWaitingWork[];
};

export type AdminRunCounts = {
  /** Runs that ended in this time. */
  total: number;
  /** Runs that succeeded. */
  succeeded: number;
  /** Runs that failed. */
  failed: number;
  /** Runs that were cancelled. */
  cancelled: number;
  /** Runs that were skipped. */
  skipped: number;
  /** Runs that wait now. */
  queued: number;
  /** Runs that run now. */
  running: number;
};

export type AdminUsageFigures = {
  /** Runs that ended in this time: the sum of the four outcomes. */
  runs: number;
  /** Runs that succeeded. */
  succeeded: number;
  /** Runs that failed. */
  failures: number;
  /** Runs that were cancelled. */
  cancelled: number;
  /** Runs that were skipped, for example because no runner took them in time. */
  skipped: number;
  /** The cost that was reported and counts, in millionths of the currency. */
  costMicros: number;
  /** How many input tokens were used. */
  inputTokens: number;
  /** How many output tokens were used. */
  outputTokens: number;
  /** Usage reports that were received in this time. */
  reports: number;
  /** Reports with tokens whose model has no known price. Their cost is not part of the sums. */
  unpricedReports: number;
  /** Reports that do not count until a person confirms or corrects them. */
  heldReports: number;
};

export type AdminUsageItem = {
  /** The first day of the interval, in UTC. */
  start: string;
  /** Null without `groupBy=organization`. */
  organizationId: string | null;
  /** Null without `groupBy=organization`. */
  organizationName: string | null;
  /** Runs that ended in this time: the sum of the four outcomes. */
  runs: number;
  /** Runs that succeeded. */
  succeeded: number;
  /** Runs that failed. */
  failures: number;
  /** Runs that were cancelled. */
  cancelled: number;
  /** Runs that were skipped, for example because no runner took them in time. */
  skipped: number;
  /** The cost that was reported and counts, in millionths of the currency. */
  costMicros: number;
  /** How many input tokens were used. */
  inputTokens: number;
  /** How many output tokens were used. */
  outputTokens: number;
  /** Usage reports that were received in this time. */
  reports: number;
  /** Reports with tokens whose model has no known price. Their cost is not part of the sums. */
  unpricedReports: number;
  /** Reports that do not count until a person confirms or corrects them. */
  heldReports: number;
};

export type AdminUsagePage = {
  /** The first day of the report, in UTC. */
  from: string;
  /** The last day of the report, in UTC. */
  to: string;
  /** The entries of this page. */
  items: AdminUsageItem[];
  /** The sums of all intervals and organizations, whatever the page. */
  totals: AdminUsageFigures;
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AdminUser = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** An e-mail address. */
  email: string;
  /** The name that people see. One line. */
  name: string;
  /** Whether the person confirmed the address. */
  emailVerified: boolean;
  /** In how many organizations the person is a member. */
  memberships: number;
  /** How many of the 10 newest sessions have not expired. */
  sessions: number;
  /** When one of the 10 newest sessions was last used, in milliseconds since 1970. Null when none is left. */
  lastSeenAt: number | null;
  /** The kinds of second factors. */
  secondFactors: ("authenticator" | "passkey")[];
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type AdminUserCounts = {
  /** All accounts of people. */
  total: number;
  /** With a confirmed address. */
  verified: number;
  /** With an authenticator app or a passkey. */
  withSecondFactor: number;
  /** With a session that was used in the last seven days. */
  activeLastWeek: number;
};

export type AdminUserPage = {
  /** The entries of this page. */
  items: AdminUser[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AdminVersions = {
  /** The version of Signalbox. */
  service: string;
  /** The version of Node.js. */
  node: string;
  /** The database and its version. */
  database: string;
  /** The number of the newest migration. */
  migration: number;
};

export type AdminWaitingWork = {
  /** The kind of work: a job, or a queue such as `runs` or `syncs`. */
  name: string;
  /** How many items could be taken now. */
  waiting: number;
  /** How many items are due later, such as another try. */
  delayed: number;
  /** For how long the oldest item has been waiting. Null when none waits. */
  ageMs: number | null;
};

export type AdminWorkerCounts = {
  /** Registered workers of all organizations. */
  total: number;
  /** How many workers are in each state. It is derived from the heartbeats at this moment. */
  states: Record<string, number>;
  /** Registered runners. */
  runners: number;
  /** Runners that were in contact in the last five minutes. */
  runnersSeen: number;
};

export type ApiKey = {
  /** The id of the API key. */
  id: string;
  /** The name of the key. */
  name: string;
  /** The first letters of the key, to tell keys apart. */
  start: string;
  /** The member of the organization that it belongs to. */
  memberId: string;
  /** The permissions that it is limited to. Null means all permissions of its member. */
  permissions: string[] | null;
  /** When it expires, in milliseconds since 1970. Null when it never expires. */
  expiresAt: number | null;
  /** When it was last used, in milliseconds since 1970. Accurate to some seconds. */
  lastUsedAt: number | null;
  /** The key that replaces it, while both are valid. */
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

export type Attention = {
  /** The entries of this page. */
  items: AttentionItem[];
  /** How many items are errors. */
  errors: number;
  /** How many items are warnings. */
  warnings: number;
  /** True when a kind has more items than are returned. */
  isTruncated: boolean;
};

export type AttentionItem = {
  /** Identifies the item while it lasts: its kind and its subject. */
  key: string;
  /** Which kind it is. */
  kind: "automation_failed" | "budget_exceeded" | "connection_needs_reconnect" | "mcp_connection_failing" | "mcp_tools_held" | "mcp_sign_in" | "mcp_consent" | "sync_failed" | "connector_disconnected" | "worker_lost" | "worker_upgrade_failed" | "llm_key_refused" | "webhook_endpoint_disabled" | "sso_certificate_ends" | "sso_domain_failing" | "quota_nearly_full" | "automation_skipped" | "budget_warned" | "usage_held" | "deliveries_refused" | "deliveries_altered" | "webhook_endpoint_failing" | "worker_stale" | "mcp_approval_pending" | "connection_uncertain" | "connection_expires" | "scim_token_expires" | "api_key_expires" | "invitation_expires";
  /** `error`: something does not work. `warning`: it may soon. */
  severity: "error" | "warning";
  /** The id of the account at the provider. */
  subject: AttentionSubject;
  /** The member who owns the subject. Null when it has no owner. */
  owner: {
    /** The member of the organization that it belongs to. */
    memberId: string;
    /** The name that people see. One line. */
    name: string;
  } | null;
  /** The run, sync or upgrade that shows the problem. */
  related: AttentionRelated | null;
  /** The reason as a code, such as `lease_lost`. Null when there is none. */
  code: string | null;
  /** The reason in a sentence. Null when there is none. */
  message: string | null;
  /** How many: failed runs in a row (at most 10), refused deliveries, automations that use a connection, held tools, or members who must sign in. */
  count: number;
  /** Since when, in milliseconds since 1970. Null when it is not known. */
  since: number | null;
  /** When it expires or resets, in milliseconds since 1970. */
  dueAt: number | null;
  /** What is spent or used, of a budget or quota. Costs are in millionths of a dollar. */
  used: number | null;
  /** The limit of the budget or quota. */
  limit: number | null;
};

export type AttentionRelated = {
  /** Which kind it is. */
  type: "run" | "sync" | "upgrade";
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
};

export type AttentionSubject = {
  /** Which kind it is. */
  type: "automation" | "budget" | "connection" | "mcp_connection" | "mcp_approval" | "connector" | "worker" | "llm_provider_key" | "webhook_endpoint" | "sso_connector" | "sso_domain" | "scim_connector" | "quota" | "api_key" | "invitation" | "organization";
  /** The id, or the name of a quota. */
  id: string;
  /** The name, label, address or domain. */
  name: string | null;
  /** What it belongs to: the provider of a connection or of an LLM key, the MCP connection of a call. */
  parentId: string | null;
  /** The name of the provider of a connection, or of the MCP connection of a call. */
  parentName: string | null;
};

export type AuditActor = {
  /** The person. */
  userId: string | null;
  /** The member of the organization that it belongs to. */
  memberId: string | null;
  /** The name at that time. */
  name: string | null;
  /** The credential that was used. `system`: the service itself acted. */
  credential: "session" | "key" | "runner" | "run" | "worker" | "worker_registration" | "scim" | "mcp" | "mcp_client" | "system";
  /** The id of the credential that was used. */
  credentialId: string | null;
};

export type AuditChain = {
  /** The number of the newest entry. */
  sequence: number;
  /** The hash of the newest entry. Store it elsewhere to prove later that no earlier entry was changed. */
  hash: string;
  /** Entries up to this one were deleted after their retention. */
  prunedSequence: number;
  /** How many days entries are kept. */
  retentionDays: number;
};

export type AuditEvent = {
  /** The id of the entry. */
  id: string;
  /** The position in the chain of the organization, from 1, without gaps. */
  sequence: number;
  /** When it happened, in milliseconds since 1970. */
  at: number;
  /** The action, such as `member.removed`. */
  action: string;
  /** Who did it. */
  actor: AuditActor;
  /** The network address that the request came from. */
  address: string | null;
  /** The `User-Agent` header of the request, shortened. */
  userAgent: string | null;
  /** The id of the request. The service's log entry for the request has the same id. */
  requestId: string | null;
  /** The changed object. */
  target: AuditTarget;
  /** The changed fields before the change, without secrets. */
  before: Record<string, unknown> | null;
  /** The changed fields after the change, without secrets. */
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
  /** The kind of the changed object. */
  type: string;
  /** What was changed. */
  id: string | null;
  /** The name in this entry. If the entry has none: the present name, or the last one of a deleted target. */
  name: string | null;
};

export type Automation = {
  /** The id of the automation. */
  id: string;
  /** The member who owns it. Null when that member has left. */
  memberId: string | null;
  /** The current state. */
  status: "active" | "inactive" | "archived";
  /** The revision of the automation. It starts at 1 and each change adds 1. */
  revision: number;
  /** The name of the automation. */
  name: string;
  /** The instructions for the agent. */
  instructions: string;
  /** The schedule of an automation. */
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
  /** The next time in the schedule, in milliseconds since 1970. Null when no run is scheduled. */
  nextRunAt: number | null;
  /** The newest run. Null when there is none. */
  lastRun: AutomationLastRun | null;
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
  /** Whether the credential can report telemetry, and the organization stores it. A runner then tells the program where to; see docs/runner.md. */
  acceptsTelemetry: boolean;
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
  /** The number of held reports. They do not count until a person confirms or corrects them. The count stops at 1,000. */
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
  /** Millionths of a US dollar. */
  costMicros: number;
  /** The current state. */
  state: "corrected";
  /** The figures that were reported. A cost of null was not reported and could not be computed. */
  reported: AutomationReportedUsage;
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
  /** The figures that were reported. A cost of null was not reported and could not be computed. */
  reported: AutomationReportedUsage;
  /** When it was reported, in milliseconds since 1970. */
  reportedAt: number;
};

export type AutomationHeldReportPage = {
  /** The entries of this page. */
  items: AutomationHeldReport[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AutomationLastRun = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The current state. */
  status: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "skipped";
  /** Why it is in this state. */
  reason: "overlap" | "missed" | "no_runner" | "interrupted" | "lease_lost" | "timed_out" | "reported" | "requested" | "automation_archived" | "resource_missing" | "run_budget_exceeded" | "monthly_budget_exceeded" | "budget_exceeded" | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When the work began, in milliseconds since 1970. */
  startedAt: number | null;
  /** When the work ended, in milliseconds since 1970. */
  finishedAt: number | null;
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
  /** The report as it was sent. */
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

export type AutomationReportedUsage = {
  /** How many input tokens were used. */
  inputTokens: number;
  /** How many output tokens were used. */
  outputTokens: number;
  /** The cost, in millionths of the currency unit. */
  costMicros: number | null;
};

export type AutomationRevision = {
  /** The revision of the automation. It starts at 1 and each change adds 1. */
  revision: number;
  /** The name of the automation. */
  name: string;
  /** The instructions for the agent. */
  instructions: string;
  /** The schedule of an automation. */
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
  /** The member that the run acts for. */
  memberId: string;
  /** What started the run. */
  trigger: "schedule" | "manual";
  /** The id of the run that this run repeats. */
  retryOf: string | null;
  /** The time in the schedule that this run is for. */
  occurrenceAt: number | null;
  /** The state of the run. */
  status: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "skipped";
  /** Why it is in this state. */
  reason: "overlap" | "missed" | "no_runner" | "interrupted" | "lease_lost" | "timed_out" | "reported" | "requested" | "automation_archived" | "resource_missing" | "run_budget_exceeded" | "monthly_budget_exceeded" | "budget_exceeded" | null;
  /** The reason in a sentence for a person. */
  reasonDetail: string | null;
  /** The number of attempts so far. The next report of a queued run belongs to the next attempt. */
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
  /** When its events were deleted after their retention, in milliseconds since 1970. Null while they are kept. */
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
  /** How it ended. Required. `outcome` is another name for it. */
  status?: "succeeded" | "failed" | "cancelled" | null;
  /** Another name for `status`. */
  outcome?: "succeeded" | "failed" | "cancelled" | null;
  /** The runner's own name for the agent's session. */
  sessionId?: string | null;
  /** The runner's own name for the workspace it used. */
  workspaceId?: string | null;
  /** The result, in a few sentences. */
  resultSummary?: string | null;
  /** The usage of this attempt in addition to its usage events. */
  usage?: {
    /** How many input tokens were used. */
    inputTokens?: number | null;
    /** How many output tokens were used. */
    outputTokens?: number | null;
    /** Millionths of a US dollar. When it is omitted, it is computed from the tokens and the price of the model. */
    costMicros?: number | null;
    /** Input tokens that were read from a cache. They are part of `inputTokens`. */
    cacheReadTokens?: number | null;
    /** Input tokens that were written to a cache. They are part of `inputTokens`. */
    cacheWriteTokens?: number | null;
    /** Those of `cacheWriteTokens` that were written to a cache that lasts an hour. */
    cacheWrite1hTokens?: number | null;
    /** The kind of provider, or the id of an LLM provider. By default that of the automation's model. */
    provider?: string | null;
    /** The model that was used. By default that of the automation. */
    model?: string | null;
  } | null;
  /** Why the attempt failed. Null or omitted when it did not fail. */
  error?: {
    /** Why the attempt failed, for a person to read. The first 20,000 characters are kept. */
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
  /** When the service received it, in milliseconds since 1970. */
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
  /** The type of the event. Required. `kind` is another name for it. */
  type?: "user" | "assistant" | "capability_search" | "capability_execution" | "usage" | "warning" | "terminal" | null;
  /** Another name for `type`. */
  kind?: "user" | "assistant" | "capability_search" | "capability_execution" | "usage" | "warning" | "terminal" | null;
  /** Any JSON object, up to 256 KiB. Cache tokens of a `usage` event are part of its `inputTokens`, as in a completion; figures that contradict this are refused. */
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
  /** The number of new events. */
  added: number;
  /** The number of events that were already stored. */
  repeated: number;
  /** The last stored sequence of the attempt. The next event has the next number. */
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
  /** The index of the first refused event of a batch. */
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
  /** The attempt that a claim would start. */
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
  /** The member that the run acts for. */
  memberId: string;
  /** What started the run. */
  trigger: "schedule" | "manual";
  /** The id of the run that this run repeats. */
  retryOf: string | null;
  /** The time in the schedule that this run is for. */
  occurrenceAt: number | null;
  /** The current state. */
  status: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "skipped";
  /** Why it is in this state. */
  reason: "overlap" | "missed" | "no_runner" | "interrupted" | "lease_lost" | "timed_out" | "reported" | "requested" | "automation_archived" | "resource_missing" | "run_budget_exceeded" | "monthly_budget_exceeded" | "budget_exceeded" | null;
  /** The reason in a sentence for a person. */
  reasonDetail: string | null;
  /** The number of attempts so far. The next report of a queued run belongs to the next attempt. */
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
  /** When its events were deleted after their retention, in milliseconds since 1970. Null while they are kept. */
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
  /** The name that the runner chose. */
  runnerId: string;
  /** The member of the organization that it belongs to. */
  memberId: string;
  /** The operating system and processor of the runner. */
  platform: string | null;
  /** The version. */
  version: string | null;
  /** The number of runs that it executes at once. */
  concurrency: number;
  /** Whose runs it executes. */
  serves: "own" | "organization";
  /** How many runs it holds. */
  running: number;
  /** When it was last used, in milliseconds since 1970. Accurate to some seconds. */
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
  /** The highest cost of one run. Null means no limit. */
  runBudgetMicros: number | null;
  /** The highest cost of all runs in a calendar month in UTC. Null means no limit. */
  monthlyBudgetMicros: number | null;
  /** The highest cost that one report may have. A report with a higher cost, or with the cost of a whole monthly budget, is held: it counts after an admin has confirmed or corrected it. Null means that only the monthly budget applies. */
  reportCostLimitMicros: number | null;
  /** The share of the budget at which owners and admins are notified. */
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
  /** The number of runs with usage reports. */
  runs: number;
  /** How many input tokens were used. */
  inputTokens: number;
  /** How many output tokens were used. */
  outputTokens: number;
  /** Millionths of a US dollar: what is known of the cost. Null: nothing is known. */
  costMicros: number | null;
  /** False: some tokens have no known price, so the cost is higher than `costMicros`. */
  priced: boolean;
};

export type AutomationUsagePage = {
  /** The entries of this page. */
  items: AutomationUsageGroup[];
  /** The sums over everything that matches the filters. */
  totals: AutomationUsageTotals;
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AutomationUsageReport = {
  /** The attempt of the run, from 1. */
  attempt: number;
  /** The sequence of the event. Null for the completion. */
  sequence: number | null;
  /** The model to use. Null when the runner chooses. */
  model: string | null;
  /** The kind of provider, or the id of an LLM provider. */
  provider: string | null;
  /** All input tokens, with those of caches. */
  inputTokens: number;
  /** How many output tokens were used. */
  outputTokens: number;
  /** Input tokens that were read from a cache. */
  cacheReadTokens: number;
  /** Input tokens that were written to a cache. */
  cacheWriteTokens: number;
  /** Null: the cost is not known. */
  costMicros: number | null;
  /** `computed`: from tokens and `price`. `unpriced`: there is no price for the model. */
  costSource: "reported" | "computed" | "unpriced";
  /** The price that a computed cost follows from. */
  price: {
    /** `override`: a price of the organization. */
    source: "catalogue" | "override";
    /** The id of the organization's own price. */
    id?: string;
    /** The day of the catalogue. */
    date?: string;
    /** The provider. */
    provider: string;
    /** The model to use. Null when the runner chooses. */
    model: string;
    /** From when the price is valid. Null: from the beginning. */
    validFrom: string | null;
  } | null;
  /** The cost before a price was corrected. Null: it was not known, or was never computed again. */
  previousCostMicros: number | null;
  /** When the cost was computed again after a price was corrected. */
  recomputedAt: number | null;
  /** The current state. */
  state: "counted" | "held" | "corrected";
  /** When it was reported, in milliseconds since 1970. */
  reportedAt: number;
};

export type AutomationUsageReportPage = {
  /** The entries of this page. */
  items: AutomationUsageReport[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type AutomationUsageTotals = {
  /** How many input tokens were used. */
  inputTokens: number;
  /** How many output tokens were used. */
  outputTokens: number;
  /** Millionths of a US dollar: what is known of the cost. Null: nothing is known. */
  costMicros: number | null;
  /** False: some tokens have no known price, so the cost is higher than `costMicros`. */
  priced: boolean;
};

export type Checklist = {
  /** What to do, in order. */
  steps: ChecklistStep[];
  /** How many steps are done. */
  done: number;
};

export type ChecklistStep = {
  /** What the request was for. */
  step: "discover_server" | "connect_account" | "run_automation" | "connect_repository" | "invite_someone";
  /** Whether the step is done. */
  done: boolean;
  /** When it was first done, in milliseconds since 1970. Null while it is not done. */
  doneAt: number | null;
  /** What the step needs. */
  permission: "organization:read" | "organization:update" | "organization:delete" | "members:read" | "members:invite" | "members:manage" | "roles:manage" | "teams:manage" | "api_keys:create" | "api_keys:manage" | "mcp_tokens:create" | "automations:create" | "automations:manage" | "usage:read" | "audit:read" | "audit:manage" | "connectors:read" | "connectors:manage" | "templates:read" | "templates:manage" | "connections:use" | "connections:manage" | "oauth_clients:manage" | "llm_providers:use" | "llm_providers:manage" | "notifications:manage" | "telemetry:report" | "telemetry:read" | "telemetry:manage" | "scim:read" | "scim:manage" | "sso:read" | "sso:manage" | "workers:read" | "workers:manage" | "mcp_connections:use" | "mcp_connections:manage" | "mcp:discover";
  /** Whether the caller has the permission. */
  allowed: boolean;
};

export type Claim = {
  /** For a person. The person who opens it and signs in becomes the owner. */
  url: string;
  /** The token in the link, for programs. */
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
  /** The page of the repository at the code host. */
  codehost: "github" | "gitlab" | "gitea" | "forgejo" | "bitbucket" | "git";
  /** The address of a code host that is not the public one of its kind. */
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
  /** `disabled`: by a person. `disconnected`: by the code host. In both states nothing is synced. */
  status: "active" | "disabled" | "disconnected";
  /** Why it is in that state. */
  statusReason: string | null;
  /** The webhook URL to enter at the code host. */
  webhookUrl: string;
  /** The secrets that verify deliveries, without their values. */
  webhookSecrets: WebhookSecret[];
  /** The number of its templates. */
  templateCount: number;
  /** The commit that its templates are equal to. */
  syncedCommit: string | null;
  /** When the last successful sync ended, in milliseconds since 1970. */
  syncedAt: number | null;
  /** When the sweep last compared the head of the ref, in milliseconds since 1970. */
  checkedAt: number | null;
  /** Why the head could not be compared. */
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

/** How the repository is read, without secrets. */
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
  /** It is never shown again. */
  token: string;
  /** The username for the token, if the code host needs a certain one. When omitted, it follows from the kind of code host. */
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
  /** The page of the code host for the webhook settings. */
  page: string | null;
  /** What to do, in order. */
  steps: {
    /** The name of the field at the code host. */
    label: string;
    /** The value to copy. Null when there is nothing to copy, or when it was already shown once. */
    value: string | null;
    /** Advice for this step. */
    hint: string | null;
  }[];
  /** The permissions that the token or the application needs. */
  permissions: string[];
};

export type ConnectorSync = {
  /** The id of the sync. */
  id: string;
  /** The connector. */
  connectorId: string;
  /** `sweep`: the head had changed without a delivery. */
  cause: "push" | "created" | "changed" | "manual" | "sweep" | "event";
  /** `superseded`: a later sync of the connector covers it. */
  status: "queued" | "running" | "succeeded" | "failed" | "superseded";
  /** The commit that was pushed. Null when the sync reads whatever the ref points to. Also null for a push verified by the instance's secret, until this connector has read that commit. */
  head: string | null;
  /** The commit that was read. */
  commit: string | null;
  /** The attempt of the run, from 1. */
  attempt: number;
  /** When it is tried next, while it is queued. */
  dueAt: number;
  /** The error of the last attempt. */
  error: {
    /** A code that programs can act on. */
    code: "address_refused" | "unreachable" | "access_refused" | "repository_not_found" | "rate_limited" | "server_error" | "protocol_error" | "unsupported_repository" | "ref_not_found" | "folder_not_found" | "too_large" | "too_many_templates" | "connector_disabled" | "connector_disconnected" | "worker_lost" | "internal_error";
    /** What happened and what to do, for a person to read. */
    message: string;
    /** Whether the sync is retried automatically. */
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
    /** The number of unchanged templates. */
    unchanged: number;
  } | null;
  /** The first hundred problems. */
  problems: SyncProblem[];
  /** How many files could not be read. */
  problemCount: number;
  /** The member who requested it. Null when nobody did. */
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
    /** `skipped`: an earlier step failed. */
    status: "passed" | "failed" | "skipped";
    /** What happened and what to do, for a person to read. */
    message: string;
  }[];
  /** What the ref points to. */
  commit: string | null;
  /** The number of templates that the folder would create. */
  templateCount: number | null;
  /** Files that would not become a template. The first hundred. */
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
    /** The resource that tokens are requested for (RFC 8707). */
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
  /** The requested address. Text that looks like a credential is replaced by [redacted]. */
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

export type Instance = {
  /** True until the first account is created. */
  isEmpty: boolean;
  /** Who may create an account: everybody, people with an invitation, or nobody. While the instance is empty, the first account can be created in any case, and the value is `open`. */
  signUp: "open" | "invited" | "closed";
  /** Whether agents may create workspaces without an account. */
  bootstrap: "open" | "closed";
  /** True while the instance holds the workspace of `signalbox demo`. */
  isDemo: boolean;
  /** The ways to sign in. */
  signInMethods: {
    /** Whether people can sign in with a password. */
    password: boolean;
    /** Whether people can sign in with a passkey. */
    passkey: boolean;
    /** Whether an organization here has single sign-on. `GET /v1/sso/resolve` finds it by an e-mail address. */
    sso: boolean;
  };
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
  /** The member who sent it. Null when that member has left; then it must be sent again before it can be accepted. */
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
  /** The e-mail address, mostly hidden. */
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

export type LlmBudget = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The id of the account at the provider. */
  subject: {
    /** Which kind it is. */
    kind: "organization" | "team" | "member" | "provider";
    /** The id of the organization, team, member or LLM provider. */
    id: string;
    /** The name that people see. One line. */
    name: string | null;
  };
  /** A calendar day, week or month in UTC. A week begins on Monday. What was spent is 0 again after it. */
  period: "day" | "week" | "month";
  /** `budget`: once it is spent, credentials are not handed out and runs are not started. `alert`: people are notified, and nothing is refused. */
  mode: "budget" | "alert";
  /** Millionths of a dollar. */
  limitMicros: number;
  /** The share of the limit at which people are notified. */
  warningPercent: number;
  /** What was spent in this period. Costs that are not known do not count. */
  spentMicros: number;
  /** The current state. */
  state: "within" | "warned" | "exceeded";
  /** When the period began. */
  periodStartAt: number;
  /** When the next period begins. */
  resetsAt: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
};

export type LlmBudgetPage = {
  /** The entries of this page. */
  items: LlmBudget[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type LlmCredential = {
  /** The provider. */
  providerId: string;
  /** Which kind it is. */
  kind: "anthropic" | "openai" | "google" | "vertex" | "azure" | "bedrock" | "mistral" | "groq" | "together" | "fireworks" | "deepseek" | "xai" | "cohere" | "perplexity" | "openrouter" | "ollama" | "vllm" | "openai_compatible";
  /** The id of the signing key. */
  keyId: string | null;
  /** The key. Null: the server needs none. */
  apiKey: string | null;
  /** The address of the code host. Null for the public one of its kind. */
  baseUrl: string;
  /** The headers that each request needs, with the key. */
  headers: Record<string, string>;
  /** The only models that the caller may use. Null: all models. */
  models: string[] | null;
  /** When the key stops being handed out because it was rotated. Null: not planned. */
  retiresAt: number | null;
};

export type LlmCredentialForbidden = {
  /** A code that programs can act on. */
  error: "forbidden" | "reauth";
  /** The reason, as a code or a short text. */
  reason?: string;
  /** What happened and what to do, for a person to read. */
  message?: string;
  /** With `model_not_allowed`: the models that the caller may use, at most 100. */
  models?: string[];
};

export type LlmModel = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The name that people see. One line. */
  name: string | null;
  /** The most input tokens. Null: not known. */
  contextTokens: number | null;
  /** The most output tokens. Null: not known. */
  maxOutputTokens: number | null;
  /** `vision`, `tools`, `cache`, `reasoning`, `pdf`, `audio`. Null: not known. */
  capabilities: string[] | null;
  /** The day on which the provider ends it, if known. */
  retiresOn: string | null;
  /** True after the provider has ended it. */
  retired: boolean;
  /** The price that is valid now. */
  price: LlmModelPrice;
  /** All prices, with those of the past and the future. */
  prices: LlmModelPrice[];
};

export type LlmModelPrice = {
  /** `override`: a price of the organization. */
  source: "catalogue" | "override";
  /** The id of the organization's price. */
  id: string | null;
  /** From when it is valid. Null: from the beginning. */
  validFrom: number | null;
  /** Only between these seconds of a day in UTC. Null: the whole day. */
  hours: {
    /** The first second of the day, in UTC. */
    fromSecond: number;
    /** The second of the day at which it ends, in UTC. */
    toSecond: number;
  } | null;
  /** Micro-units per million input tokens. Null: there is no price. */
  input: number | null;
  /** Micro-units per million output tokens. Null: there is no price. */
  output: number | null;
  /** Reads from a cache. Null: they cost as much as other input. */
  cacheRead: number | null;
  /** Writes to a cache. Null: they cost as much as other input. */
  cacheWrite: number | null;
  /** Writes to a cache that lasts an hour. Null: as other writes. */
  cacheWrite1h: number | null;
  /** Micro-units per thousand requests, in addition to tokens. */
  request: number | null;
  /** Prices of requests with more input tokens than this. */
  tiers: {
    /** The tier applies to requests with more input tokens. */
    aboveInputTokens: number;
    /** Micro-units per million input tokens. */
    input: number | null;
    /** Micro-units per million output tokens. */
    output: number | null;
    /** Reads from a cache. Null: they cost as much as other input. */
    cacheRead: number | null;
    /** Writes to a cache. Null: they cost as much as other input. */
    cacheWrite: number | null;
    /** Writes to a cache that lasts an hour. Null: as other writes. */
    cacheWrite1h: number | null;
    /** Micro-units per thousand requests, in addition to tokens. */
    request: number | null;
  }[];
};

export type LlmPrice = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** A kind of provider, or the id of one of the organization's providers. */
  provider: string;
  /** The name of the model, in lower case. */
  model: string;
  /** From when the price is valid, until the next one begins. */
  validFrom: number;
  /** Micro-units per million tokens. */
  rates: {
    /** Micro-units per million input tokens. */
    input?: number;
    /** Micro-units per million output tokens. */
    output?: number;
    /** Reads from a cache. Omitted: they cost as much as other input. */
    cacheRead?: number;
    /** Writes to a cache. Omitted: they cost as much as other input. */
    cacheWrite?: number;
    /** Writes to a cache that lasts an hour. Omitted: as other writes. */
    cacheWrite1h?: number;
    /** Micro-units per thousand requests, in addition to tokens. */
    request?: number;
  };
  /** Where the price comes from, for people. */
  note: string;
  /** The member who created it. Null when the member no longer exists. */
  createdBy: string;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
};

export type LlmPricePage = {
  /** The entries of this page. */
  items: LlmPrice[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type LlmProvider = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The kind of service. It decides the form of requests and the prices. */
  kind: "anthropic" | "openai" | "google" | "vertex" | "azure" | "bedrock" | "mistral" | "groq" | "together" | "fireworks" | "deepseek" | "xai" | "cohere" | "perplexity" | "openrouter" | "ollama" | "vllm" | "openai_compatible";
  /** The name that people see. One line. */
  name: string;
  /** The address that requests are sent to. */
  baseUrl: string;
  /** The only models that may be used. `*` at the end stands for any rest. Null: all models. */
  models: string[] | null;
  /** False: its credential is not handed out. */
  enabled: boolean;
  /** The last characters of the newest active key. Null: there is none. */
  keyTail: string | null;
  /** The number of keys that are not disabled. */
  keys: number;
  /** The member who created it. Null when the member no longer exists. */
  createdBy: string;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
};

export type LlmProviderAccess = {
  /** Every member of the organization may use the provider. */
  organization: boolean;
  /** The teams whose members may use it. */
  teamIds: string[];
  /** The members who may use it. */
  memberIds: string[];
  /** The workers that may use it. They are set with the worker. */
  workerIds: string[];
  /** The only models that anybody may use. Null: all models. */
  models: string[] | null;
  /** The only models for a team, a member, or the organization as a whole, by its id. Somebody with several grants may use the models of all of them. */
  modelsBySubject: Record<string, string[]>;
};

export type LlmProviderCatalog = {
  /** The day on which the catalogue was written. */
  date: string;
  /** The currency of all prices. */
  currency: string;
  /** Where the data comes from. */
  sources: {
    /** The name that people see. One line. */
    name: string;
    /** The version. */
    version: string;
    /** The date of the source, if it has one. */
    date: string | null;
    /** The licence of the data. */
    license: string;
    /** The address. */
    url: string;
    /** The data that was taken from it. */
    provides: string;
  }[];
  /** The kinds of providers. */
  kinds: LlmProviderKind[];
};

export type LlmProviderCatalogPage = {
  /** The catalogue, without its models. */
  catalog: LlmProviderCatalog;
  /** The entries of this page. */
  items: LlmModel[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type LlmProviderKey = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The provider. */
  providerId: string;
  /** The name that people see. One line. */
  name: string;
  /** The last characters of the key. The key itself is never shown. */
  tail: string;
  /** `retiring`: it was rotated, and is deleted at `retiresAt`. It is only handed out when no other key works. `disabled`: it is not handed out. */
  status: "active" | "retiring" | "disabled";
  /** When a rotated key is deleted. */
  retiresAt: number | null;
  /** The key that replaced it. */
  replacedBy: string | null;
  /** The result of the last test. */
  lastVerdict: "valid" | "refused" | "model_not_allowed" | "quota_exhausted" | "wrong_address" | "blocked_by_egress" | "unavailable" | null;
  /** The result of the last test in a sentence. */
  lastMessage: string | null;
  /** When it was last tested. */
  lastTestedAt: number | null;
  /** When it was last handed out, to the minute. */
  lastIssuedAt: number | null;
  /** The member who created it. Null when the member no longer exists. */
  createdBy: string;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type LlmProviderKeyPage = {
  /** The entries of this page. */
  items: LlmProviderKey[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type LlmProviderKind = {
  /** Which kind it is. */
  kind: "anthropic" | "openai" | "google" | "vertex" | "azure" | "bedrock" | "mistral" | "groq" | "together" | "fireworks" | "deepseek" | "xai" | "cohere" | "perplexity" | "openrouter" | "ollama" | "vllm" | "openai_compatible";
  /** The name that people see. One line. */
  name: string;
  /** The fixed address. Null: it must be given. */
  baseUrl: string | null;
  /** An example of an address, for kinds without a fixed one. */
  example: string | null;
  /** The organization's own servers may need no key. */
  keyOptional: boolean;
  /** Where the provider says how to register a client. */
  documentation: string;
  /** Where the provider publishes its prices. */
  pricingUrl: string | null;
  /** The number of models with a known price. */
  models: number;
};

export type LlmProviderPage = {
  /** The entries of this page. */
  items: LlmProvider[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type LlmProviderTest = {
  /** `refused`: the provider does not accept the key. `model_not_allowed`: it accepts the key, but not for the model. `quota_exhausted`: no credit or rate is left. `wrong_address`: wrong region or base URL. `blocked_by_egress`: the egress guard of this instance forbids the address. `unavailable`: the provider did not answer. */
  verdict: "valid" | "refused" | "model_not_allowed" | "quota_exhausted" | "wrong_address" | "blocked_by_egress" | "unavailable";
  /** The result in a sentence, and what to do. */
  message: string;
  /** The models that the key can use, if the provider lists them. */
  models?: string[];
};

export type McpApproval = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The connection. */
  connectionId: string;
  /** The name of the connection. */
  connectionName: string;
  /** The name of the tool at the server. */
  tool: string;
  /** The arguments of the call, at most 64 KiB. Null in lists. */
  arguments: Record<string, unknown> | null;
  /** The size of the arguments. */
  argumentBytes: number;
  /** `approved`: the call may be made once, until `expiresAt`. `used`: it was made. */
  status: "pending" | "approved" | "denied" | "used" | "expired";
  /** The member whose agent asked. Null when they left. */
  memberId: string | null;
  /** The name of that member. */
  memberName: string | null;
  /** The run that asked. Null outside of runs. */
  runId: string | null;
  /** What the person who decided wrote. */
  note: string | null;
  /** The member who decided. Null: nobody yet, or they left. */
  decidedBy: string | null;
  /** The name of that member. */
  decidedByName: string | null;
  /** When it was decided. */
  decidedAt: number | null;
  /** Until when it can be decided, or the approved call can be made. */
  expiresAt: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type McpApprovalPage = {
  /** The entries of this page. */
  items: McpApproval[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type McpBaseline = {
  /** The tools that were approved. */
  approved: string[];
  /** Whether the instructions were approved. */
  instructions: boolean;
  /** How many differences are left. */
  remaining: number;
  /** Identifies all differences as they are listed. Give it when you approve what you saw. */
  revision: string;
};

export type McpCall = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The connection. It may have been deleted since. */
  connectionId: string;
  /** The name of the connection. Null when it was deleted. */
  connectionName: string | null;
  /** The member that called, or for whom a run called. */
  memberId: string | null;
  /** The name of the member. Null when it is no longer known. */
  memberName: string | null;
  /** The kind of credential that the caller used. */
  credential: string;
  /** The credential that the caller used. */
  credentialId: string;
  /** The MCP client, as it names itself. Null when it is not known. */
  client: string | null;
  /** The name of the tool at its server. */
  tool: string;
  /** `tool_error`: the tool answered with an error. `refused`: the call was not sent, or the server refused the credential. `failed`: the server did not answer as it should. */
  outcome: "ok" | "tool_error" | "refused" | "failed" | "cancelled" | "timed_out";
  /** The code of the error. Null when the call succeeded. */
  code: string | null;
  /** How long the call took, in milliseconds. */
  ms: number;
  /** The size of the arguments as JSON. */
  requestBytes: number;
  /** The size of the result as JSON. */
  resultBytes: number;
  /** The run that called. Null for a call outside of a run. */
  runId: string | null;
  /** The attempt of the run. */
  attempt: number | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type McpCallDetails = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The connection. It may have been deleted since. */
  connectionId: string;
  /** The name of the connection. Null when it was deleted. */
  connectionName: string | null;
  /** The member that called, or for whom a run called. */
  memberId: string | null;
  /** The name of the member. Null when it is no longer known. */
  memberName: string | null;
  /** The kind of credential that the caller used. */
  credential: string;
  /** The credential that the caller used. */
  credentialId: string;
  /** The MCP client, as it names itself. Null when it is not known. */
  client: string | null;
  /** The name of the tool at its server. */
  tool: string;
  /** `tool_error`: the tool answered with an error. `refused`: the call was not sent, or the server refused the credential. `failed`: the server did not answer as it should. */
  outcome: "ok" | "tool_error" | "refused" | "failed" | "cancelled" | "timed_out";
  /** The code of the error. Null when the call succeeded. */
  code: string | null;
  /** How long the call took, in milliseconds. */
  ms: number;
  /** The size of the arguments as JSON. */
  requestBytes: number;
  /** The size of the result as JSON. */
  resultBytes: number;
  /** The run that called. Null for a call outside of a run. */
  runId: string | null;
  /** The attempt of the run. */
  attempt: number | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** Null when arguments and result are not stored, or not any more. */
  payload: McpCallPayload | null;
};

export type McpCallPage = {
  /** The entries of this page. */
  items: McpCall[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type McpCallPayload = {
  /** What the caller sent. */
  arguments: unknown;
  /** What the tool answered. Null when there is no result. */
  result: unknown;
  /** When both are deleted. */
  expiresAt: number;
};

export type McpChoiceRequired = {
  /** A code that programs can act on. */
  error: "mcp_choice_required";
  /** What happened and what to do, for a person to read. */
  message: string;
  /** What a person decides before the connection can be saved. */
  choices: {
    /** The way to choose, if there is one. */
    recommended: "none" | "client_metadata" | "dynamic" | "pre_registered" | "bearer" | null;
    /** The ways to register. */
    registrations: {
      /** The way to register. */
      registration: "none" | "client_metadata" | "dynamic" | "pre_registered" | "bearer";
      /** Whether the server and this instance allow it. */
      available: boolean;
      /** The fields of the request that it needs. */
      missing: string[];
      /** What it means, or why it is not available. */
      note: string;
    }[];
    /** The issuers to choose from, for `authorizationServer`. */
    authorizationServers: string[];
    /** The scopes that would be requested. */
    scopes: string[];
    /** What discovery found out. */
    verdict: ExternalMcpRequirementsDiscovery;
  };
};

export type McpClient = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The name that the client gives itself. Nobody checks it. */
  name: string;
  /** The URL of the client's metadata document, or the id from its registration. */
  clientId: string;
  /** `client_metadata`: the host of `clientId` vouches for the client. `dynamic`: the client registered itself, and its name is only a claim. */
  registration: "client_metadata" | "dynamic";
  /** Where the browser was sent after the consent: a host, or the scheme of an app. */
  redirectHost: string;
  /** The member who connected it. */
  memberId: string;
  /** The name of that member. */
  memberName: string;
  /** What it may do. */
  scopes: ("mcp:read" | "mcp:write")[];
  /** When it was last used, in milliseconds since 1970. Accurate to some seconds. */
  lastUsedAt: number | null;
  /** When the access ends if the client does not renew it, in milliseconds since 1970. */
  expiresAt: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type McpClientConfiguration = {
  /** The MCP client. */
  client: "claude-code" | "claude-desktop" | "claude-ai" | "cursor" | "vscode" | "windsurf" | "zed" | "gemini-cli" | "codex" | "lm-studio" | "opencode";
  /** The name of the client, for people. */
  title: string;
  /** The name of its configuration file. Null: it has no file. */
  fileName: string | null;
  /** Where the file is, for each operating system. */
  locations: {
    /** The operating system. */
    system: "any" | "macos" | "linux" | "windows";
    /** Where the file is. */
    path: string;
  }[];
  /** The language of `content`. */
  language: "json" | "toml" | "text";
  /** What to add to the file, or the address to enter. */
  content: string;
  /** A command that does the same. Null: there is none. */
  command: string | null;
  /** What else to do. Null: nothing. */
  note: string | null;
  /** The client's documentation that this was checked against. */
  source: string | null;
  /** The day of that check. Null: it could not be checked. */
  checkedOn: string | null;
};

export type McpClientPage = {
  /** The entries of this page. */
  items: McpClient[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type McpConnectStart = {
  /** The page at the provider where the person signs in and agrees. */
  authorizeUrl: string;
};

export type McpConnection = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The name that people see. */
  name: string;
  /** The prefix of its tools at `/mcp`. It never changes, because agents remember the names. */
  slug: string;
  /** Where the server answers. Text that looks like a credential is replaced by [redacted]. */
  url: string;
  /** `shared`: one credential for everybody. `per_member`: each member connects an account. */
  credential: "shared" | "per_member";
  /** How this instance is known to the authorization server, or that a fixed credential is sent. */
  registration: "none" | "client_metadata" | "dynamic" | "pre_registered" | "bearer";
  /** False: nobody can use it. */
  enabled: boolean;
  /** The state for the caller. When several apply, the one that must be solved first. */
  status: "connected" | "tools_held" | "not_connected" | "needs_consent" | "sign_in" | "no_answer" | "off";
  /** What failed at the last check. Null: nothing. */
  problem: {
    /** The step of the last check that failed. */
    step: string;
    /** Why it failed, for programs. */
    code: string;
    /** Why it failed, and what to do. */
    message: string;
    /** Since when it fails. In milliseconds since 1970. */
    since: number;
  } | null;
  /** How many tools the server has. */
  toolCount: number;
  /** How many of them cannot be called until a person approves their change. */
  heldTools: number;
  /** The MCP revision of the last session. */
  protocolVersion: string | null;
  /** The issuer that members sign in at. */
  authorizationServer: string | null;
  /** The scopes that every account is asked for. */
  scopes: string[];
  /** The connection as it is for the caller. */
  mine: {
    /** The state of the caller's own credential. */
    state: "connected" | "not_connected" | "sign_in" | "needs_consent" | "not_needed";
    /** For `needs_consent`: the scopes to consent to. */
    missingScopes: string[];
    /** The caller's account at the server, if it is known. */
    account: string | null;
    /** Since when it is in this state. In milliseconds since 1970. */
    since: number | null;
    /** Whether the caller was granted the connection. */
    mayUse: boolean;
  };
  /** Null without `mcp_connections:manage`. */
  people: {
    /** How many members may use it. Null: everybody. */
    granted: number | null;
    /** How many members have a working credential of their own. */
    connected: number;
    /** How many must sign in again or consent to more. */
    needCare: number;
  } | null;
  /** How many calls were made in the last 24 hours. 1,000 stands for 1,000 or more. */
  callsLastDay: number;
  /** The status of the verdict. */
  verdictStatus: "ready" | "manual_action_required" | "unsupported" | "unreachable";
  /** What changed at the server since a person accepted the verdict. */
  verdictDrift: McpVerdictDrift[];
  /** When the server was last discovered. In milliseconds since 1970. */
  discoveredAt: number;
  /** When it was last checked. In milliseconds since 1970. */
  checkedAt: number | null;
  /** The member who saved it. Null when that member has left. */
  createdBy: string | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
};

export type McpConnectionAccess = {
  /** Every member, and every run, may use it. */
  organization: boolean;
  /** The teams whose members may use it. */
  teamIds: string[];
  /** The members who may use it. */
  memberIds: string[];
  /** The automations whose runs may use it, with the credential of their owner. */
  automationIds: string[];
};

export type McpConnectionDetail = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The name that people see. */
  name: string;
  /** The prefix of its tools at `/mcp`. It never changes, because agents remember the names. */
  slug: string;
  /** Where the server answers. Text that looks like a credential is replaced by [redacted]. */
  url: string;
  /** `shared`: one credential for everybody. `per_member`: each member connects an account. */
  credential: "shared" | "per_member";
  /** How this instance is known to the authorization server, or that a fixed credential is sent. */
  registration: "none" | "client_metadata" | "dynamic" | "pre_registered" | "bearer";
  /** False: nobody can use it. */
  enabled: boolean;
  /** The state for the caller. When several apply, the one that must be solved first. */
  status: "connected" | "tools_held" | "not_connected" | "needs_consent" | "sign_in" | "no_answer" | "off";
  /** What failed at the last check. Null: nothing. */
  problem: {
    /** The step of the last check that failed. */
    step: string;
    /** Why it failed, for programs. */
    code: string;
    /** Why it failed, and what to do. */
    message: string;
    /** Since when it fails. In milliseconds since 1970. */
    since: number;
  } | null;
  /** How many tools the server has. */
  toolCount: number;
  /** How many of them cannot be called until a person approves their change. */
  heldTools: number;
  /** The MCP revision of the last session. */
  protocolVersion: string | null;
  /** The issuer that members sign in at. */
  authorizationServer: string | null;
  /** The scopes that every account is asked for. */
  scopes: string[];
  /** The connection as it is for the caller. */
  mine: {
    /** The state of the caller's own credential. */
    state: "connected" | "not_connected" | "sign_in" | "needs_consent" | "not_needed";
    /** For `needs_consent`: the scopes to consent to. */
    missingScopes: string[];
    /** The caller's account at the server, if it is known. */
    account: string | null;
    /** Since when it is in this state. In milliseconds since 1970. */
    since: number | null;
    /** Whether the caller was granted the connection. */
    mayUse: boolean;
  };
  /** Null without `mcp_connections:manage`. */
  people: {
    /** How many members may use it. Null: everybody. */
    granted: number | null;
    /** How many members have a working credential of their own. */
    connected: number;
    /** How many must sign in again or consent to more. */
    needCare: number;
  } | null;
  /** How many calls were made in the last 24 hours. 1,000 stands for 1,000 or more. */
  callsLastDay: number;
  /** The status of the verdict. */
  verdictStatus: "ready" | "manual_action_required" | "unsupported" | "unreachable";
  /** What changed at the server since a person accepted the verdict. */
  verdictDrift: McpVerdictDrift[];
  /** When the server was last discovered. In milliseconds since 1970. */
  discoveredAt: number;
  /** When it was last checked. In milliseconds since 1970. */
  checkedAt: number | null;
  /** The member who saved it. Null when that member has left. */
  createdBy: string | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
  /** What discovery found out, as a person accepted it. */
  verdict: ExternalMcpRequirementsDiscovery;
  /** The requests of that discovery, in their order. */
  evidence: ExternalMcpRequirementsDiscoveryEvidence[];
  /** The resource that tokens are requested for (RFC 8707). */
  resource: string | null;
  /** The id of this instance at the authorization server. */
  clientId: string | null;
  /** Where the authorization server sends members back to. */
  redirectUri: string | null;
  /** Which tools may be called, and what happens when they change. */
  policy: McpToolPolicy;
  /** How much may be called, and how large. */
  limits: McpConnectionLimits;
  /** Who may use it. Null without `mcp_connections:manage`. */
  access: McpConnectionAccess | null;
  /** Whether arguments and results of calls are kept. */
  logPayloads: boolean;
  /** For how many days they are kept. */
  payloadDays: number;
};

export type McpConnectionLimits = {
  /** Calls per minute, of all callers. */
  callsPerMinute: number;
  /** Calls at the same time, of all callers. */
  concurrency: number;
  /** How long a call may take. */
  timeoutSeconds: number;
  /** The largest arguments of a call, in bytes. */
  maxRequestBytes: number;
  /** The largest result of a call, in bytes. */
  maxResultBytes: number;
  /** How old the list of tools may be before it is read again. Policies that hold tools read it before every call. */
  listingSeconds: number;
};

export type McpConnectionMember = {
  /** The member of the organization that it belongs to. */
  memberId: string;
  /** The name of the member. */
  name: string;
  /** Whether the member was granted the connection. */
  mayUse: boolean;
  /** The state of the member's own credential. */
  state: "connected" | "not_connected" | "sign_in" | "needs_consent" | "not_needed";
  /** For `needs_consent`: the scopes to consent to. */
  missingScopes: string[];
  /** The member's account at the server, if it is known. */
  account: string | null;
  /** Since when it is in this state. In milliseconds since 1970. */
  since: number | null;
  /** When its token was last used. */
  lastUsedAt: number | null;
};

export type McpConnectionMemberPage = {
  /** The entries of this page. */
  items: McpConnectionMember[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type McpConnectionPage = {
  /** The entries of this page. */
  items: McpConnection[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type McpConnectionTest = {
  /** Whether every step succeeded. */
  ok: boolean;
  /** The steps, in their order. */
  steps: {
    /** What was tried. The steps after a failure are not tried. */
    step: "credential" | "reach" | "list_tools";
    /** Whether it succeeded. */
    ok: boolean;
    /** How long it took, in milliseconds. */
    ms: number;
    /** Why it failed, for programs. */
    code?: string;
    /** What was found, or why it failed and what to do. */
    message: string;
  }[];
};

export type McpConsent = {
  /** The path that sends the browser back to the client. */
  continueAt: string;
};

export type McpDiscovery = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The address that was discovered. Text that looks like a credential is replaced by [redacted]. */
  url: string;
  /** The current state. */
  status: "ready" | "manual_action_required" | "unsupported" | "unreachable";
  /** The member who asked. Null when that member has left. */
  memberId: string | null;
  /** Null when the member has left. */
  memberName: string | null;
  /** How many requests were sent. */
  requests: number;
  /** How long the discovery took, in milliseconds. */
  durationMs: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** The verdict, as `POST /v1/mcp-connections/discover` returns it. */
  result: ExternalMcpRequirementsDiscovery;
  /** The requests that were sent, in their order. */
  evidence: ExternalMcpRequirementsDiscoveryEvidence[];
};

export type McpDiscoveryPage = {
  /** The entries of this page. */
  items: McpDiscoverySummary[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type McpDiscoveryShare = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The verdict that it shares. */
  discoveryId: string;
  /** The member who created it. Null when that member has left. */
  createdBy: string | null;
  /** When it expires, in milliseconds since 1970. Null when it never expires. */
  expiresAt: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type McpDiscoverySharePage = {
  /** The entries of this page. */
  items: McpDiscoveryShare[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type McpDiscoverySummary = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The address that was discovered. Text that looks like a credential is replaced by [redacted]. */
  url: string;
  /** The current state. */
  status: "ready" | "manual_action_required" | "unsupported" | "unreachable";
  /** The member who asked. Null when that member has left. */
  memberId: string | null;
  /** Null when the member has left. */
  memberName: string | null;
  /** How many requests were sent. */
  requests: number;
  /** How long the discovery took, in milliseconds. */
  durationMs: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type McpDrift = {
  /** A tool, or the server's instructions for agents. */
  subject: "tool" | "instructions";
  /** The name of the tool. Null for the instructions. */
  tool: string | null;
  /** The name at `/mcp`. Null for the instructions. */
  exposedName: string | null;
  /** What changed, worst first. */
  kinds: ("hint_flipped" | "renamed" | "instructions_changed" | "text_changed" | "schema_changed" | "schema_widened" | "schema_narrowed" | "added" | "removed")[];
  /** How dangerous the change can be. */
  severity: "high" | "medium" | "low";
  /** The earlier name of a tool that seems to be renamed. */
  renamedFrom: string | null;
  /** Whether calls are refused until it is approved. */
  isHeld: boolean;
  /** The approved definition. Null: there is none. */
  before: McpToolDefinition | null;
  /** The present definition. Null: the tool is gone. */
  after: McpToolDefinition | null;
  /** The differences, field by field. At most 200. */
  changes: McpToolChange[];
  /** True when there are more differences than `changes` has. */
  isCut: boolean;
  /** With an account per member: how many accounts list it like this. It holds the tool for these members only. Null: it concerns everybody. */
  accounts: number | null;
  /** How many further accounts list the tool in yet another way, which is shown after this one. */
  otherVariants: number;
  /** When the change was seen. */
  seenAt: number;
  /** The member who approved `before`. */
  approvedBy: string | null;
  /** The name of that member. */
  approvedByName: string | null;
  /** When `before` was approved. */
  approvedAt: number | null;
  /** How often the tool was called in the last 24 hours. */
  callsLastDay: number;
};

export type McpDriftPage = {
  /** The entries of this page. */
  items: McpDrift[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
  /** Identifies all differences as they are listed. Give it when you approve what you saw. */
  revision: string;
  /** How many tools the server lists. */
  tools: number;
};

export type McpImportChoice = {
  /** The `key` of a server in the file. */
  key?: string;
  /** The URL of a server that is not in the file, instead of `key`. */
  url?: string;
  /** Another name than the one in the file. */
  name?: string;
  /** Values for the names in `missing`. */
  values?: Record<string, string>;
  /** Headers in addition to those in the file. Values are stored sealed. */
  headers?: Record<string, string>;
  /** The kind of credential that was used. */
  credential?: "shared" | "per_member";
  /** How to register. Needed for a server that cannot be reached now. */
  registration?: "none" | "client_metadata" | "dynamic" | "pre_registered" | "bearer";
  /** The issuer, when the server names several. */
  authorizationServer?: string;
  /** For `pre_registered`. */
  clientId?: string;
  /** For `pre_registered`, if there is one. */
  clientSecret?: string;
  /** For `bearer`: the token to send. Shared credentials only. */
  bearerToken?: string;
  /** Default: the scopes that discovery recommends. */
  scopes?: string[];
  /** How the repository is read. */
  access?: {
    /** Every member, and every run, may use it. */
    organization?: boolean;
    /** The teams whose members may use it. */
    teamIds?: string[];
    /** The members who may use it. */
    memberIds?: string[];
    /** The automations whose runs may use it. */
    automationIds?: string[];
  };
};

export type McpImportItem = {
  /** Identifies the server within the file. */
  key: string;
  /** The name that the connection gets. */
  name: string;
  /** Where the server answers. `{name}` stands for a missing value. Null when the entry cannot be saved. */
  url: string | null;
  /** `bearer` when the file has a credential for the server. Null: discovery decides. */
  registration: "bearer" | null;
  /** Names of the headers in the file. Values are not shown. */
  headers: string[];
  /** Values that the file refers to but does not contain. Send them in `values`. */
  missing: {
    /** The name of the value, as in the file. */
    name: string;
    /** What the file says about the value. */
    description: string | null;
    /** Whether the value is a secret, so that it is not shown while typed. */
    secret: boolean;
    /** Whether the server can be saved without it. */
    optional: boolean;
  }[];
  /** The saved connection with the same URL. Null: there is none. */
  existing: {
    /** The id. Ids of one kind have one prefix and sort by the time they were created. */
    id: string;
    /** The name that people see. One line. */
    name: string;
  } | null;
  /** What the import does not take over from the entry, and why. */
  notes: string[];
  /** Why the entry cannot be saved. Null: it can. */
  problem: {
    /** Why the entry cannot be saved. */
    code: "local_command" | "local_package" | "no_url" | "invalid_url" | "unsupported_transport" | "invalid_entry";
    /** What happened and what to do, for a person to read. */
    message: string;
  } | null;
};

export type McpImportPreview = {
  /** The form of the file. */
  format: "mcp_servers" | "vscode" | "zed" | "opencode" | "registry_server" | "registry_list";
  /** All servers in the file, in their order. */
  items: McpImportItem[];
};

export type McpRegistrationFailed = {
  /** A code that programs can act on. */
  error: "mcp_registration_failed";
  /** What happened and what to do, for a person to read. */
  message: string;
  /** The code of the authorization server, or of this instance. */
  reason: string;
};

export type McpServerUnsupported = {
  /** A code that programs can act on. */
  error: "mcp_server_unsupported";
  /** What happened and what to do, for a person to read. */
  message: string;
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
  /** When it was last used, in milliseconds since 1970. Accurate to some seconds. */
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

export type McpTool = {
  /** The name at the server. */
  name: string;
  /** The name at `/mcp`: the prefix of the connection, two underscores and the name. */
  exposedName: string;
  /** The name for people. Null when the server gives none. */
  title: string | null;
  /** What the server says about the tool. Null when it says nothing. */
  description: string | null;
  /** The JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>;
  /** The JSON Schema of structured results. */
  outputSchema: Record<string, unknown> | null;
  /** Hints of the server. They are not proven. */
  annotations: Record<string, unknown> | null;
  /** `held`: it waits for approval and cannot be called. `removed`: the server does not list it any more. */
  state: "approved" | "held" | "removed";
  /** How the server's present description differs from the approved one, worst first. */
  drift: ("hint_flipped" | "renamed" | "instructions_changed" | "text_changed" | "schema_changed" | "schema_widened" | "schema_narrowed" | "added" | "removed")[];
  /** The earlier name of a tool that seems to be renamed. */
  renamedFrom: string | null;
  /** Whether it counts as destructive under the policy. */
  isDestructive: boolean;
  /** Whether it can be called now. With `needs_approval`, a call asks for it. */
  executable: boolean;
  /** Why it cannot simply be called: `held`, `denied` by the policy, `needs_approval` for each call, `removed`. */
  why: "held" | "denied" | "needs_approval" | "removed" | null;
  /** Whether agents find it in lists and searches. */
  listed: boolean;
  /** The member who approved it. Null: nobody, or they left. */
  approvedBy: string | null;
  /** The name of that member. */
  approvedByName: string | null;
  /** When it was approved. Null: never. */
  approvedAt: number | null;
  /** When the server listed it first. */
  firstSeenAt: number;
  /** When the server's description last changed. */
  changedAt: number;
};

export type McpToolChange = {
  /** Where, such as `description` or `inputSchema.properties.priority.enum`. */
  field: string;
  /** Whether the field is new, gone or different. */
  change: "added" | "removed" | "changed";
  /** The approved value. Null when it was added. */
  before: unknown;
  /** The present value. Null when it was removed. */
  after: unknown;
};

export type McpToolDefinition = {
  /** The name at the server. */
  name: string;
  /** The name for people. */
  title?: string;
  /** What the server says about the tool. */
  description?: string;
  /** The JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>;
  /** The JSON Schema of structured results. */
  outputSchema?: Record<string, unknown>;
  /** Hints of the server: `readOnlyHint`, `destructiveHint` and others. They are not proven. */
  annotations?: Record<string, unknown>;
};

export type McpToolPage = {
  /** The entries of this page. */
  items: McpTool[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
  /** When the server last listed its tools. Null: never. */
  listedAt: number | null;
  /** How many tools of the server are not kept, because there are too many or they are too large. */
  omittedTools: number;
  /** What the server tells agents about itself, as it was approved. */
  instructions: string | null;
};

export type McpToolPolicy = {
  /** The only tools that may be called. `*` at the end of a name stands for any rest. Null: all tools. */
  allow: string[] | null;
  /** Tools that may not be called, even when `allow` names them. */
  deny: string[];
  /** Tools that are in no list and in no search. They can still be called by name. */
  hide: string[];
  /** What happens when the server changes a tool after it was approved. `warn`: people are told. `hold_changed`: changed and new tools cannot be called until they are approved. `hold_all`: no tool can be called until then. */
  onDrift: "warn" | "hold_changed" | "hold_all";
  /** Whether tools that say they destroy or overwrite may be called, or only with approval. */
  destructive: "allow" | "approve" | "deny";
  /** Tools that do not say whether they only read count as destructive. */
  treatUnknownAsDestructive: boolean;
};

export type McpVerdictDrift = {
  /** The field of the verdict that changed, such as `issuer` or `scopes`. */
  field: string;
  /** The accepted value. Null: there was none. */
  before: string | null;
  /** The value that was seen. Null: there is none. */
  after: string | null;
  /** When the change was first seen. In milliseconds since 1970. */
  seenAt: number;
};

export type Me = {
  /** The person. */
  user: User;
  /** Whether the person has a second factor. */
  twoFactorEnabled: boolean;
  /** The kind of credential of this request. */
  credential: "session" | "key" | "mcp" | "mcp_client";
  /** The scopes of an MCP token or MCP client. Null for other credentials. */
  scopes: string[] | null;
  /** The organization that requests with this credential act on. */
  activeOrganizationId: string | null;
  /** What this credential may do in the active organization. */
  permissions: string[];
  /** The organizations that the person belongs to. */
  organizations: UserMembership[];
  /** True when this session may use the routes of the administration. Always false for keys, tokens and sessions of single sign-on. */
  isInstanceAdmin: boolean;
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
  /** `owner`, `admin`, `member`, or the id of a custom role. */
  role: string;
  /** The name of the role, for people. */
  roleName: string;
  /** The teams that the member is in. */
  teams: {
    /** The id of the team. */
    id: string;
    /** The name of the team. */
    name: string;
  }[];
  /** Since when the member has no access. Null for an active member. */
  deactivatedAt: number | null;
  /** The SCIM connector whose directory manages this member. Null: managed here. */
  managedBy: string | null;
  /** What the directory decides besides deactivation and removal. */
  managedFields: ("role" | "name")[];
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
    /** Costs reached the warning level or the whole of a budget or alert. `all` needs `usage:read`. */
    "budget.reached": "off" | "all" | null;
    /** A connector could not be synced. `all` needs `connectors:read`. */
    "sync.failed": "off" | "own" | "all" | null;
    /** A worker is lost, will be removed soon, or was removed. `all` needs `workers:read`. */
    "worker.unseen": "off" | "own" | "all" | null;
    /** The server of an MCP connection changed its tools. `all` needs `mcp_connections:manage`. */
    "mcp_connection.drift": "off" | "own" | "all" | null;
    /** The server of an MCP connection does not answer as it should. `all` needs `mcp_connections:manage`. */
    "mcp_connection.failing": "off" | "own" | "all" | null;
    /** An agent wants to call a destructive tool and needs approval. `all` needs `mcp_connections:manage`. */
    "mcp_approval.requested": "off" | "own" | "all" | null;
  };
};

export type MyNotificationSettingsInput = {
  /** For each type of event. `off`: no mails. `own`: mails about my own events. `all`: mails about the events of all members. Null means that the settings of the organization apply. */
  mail: {
    /** A run failed. `all` needs `automations:manage`. */
    "run.failed": "off" | "own" | "all" | null;
    /** A connection to an outside account needs attention. `all` needs `connections:manage`. */
    "connection.needs_attention": "off" | "own" | "all" | null;
    /** Costs reached the warning level or the whole of a budget or alert. `all` needs `usage:read`. */
    "budget.reached": "off" | "all" | null;
    /** A connector could not be synced. `all` needs `connectors:read`. */
    "sync.failed": "off" | "own" | "all" | null;
    /** A worker is lost, will be removed soon, or was removed. `all` needs `workers:read`. */
    "worker.unseen"?: "off" | "own" | "all" | null;
    /** The server of an MCP connection changed its tools. `all` needs `mcp_connections:manage`. */
    "mcp_connection.drift"?: "off" | "own" | "all" | null;
    /** The server of an MCP connection does not answer as it should. `all` needs `mcp_connections:manage`. */
    "mcp_connection.failing"?: "off" | "own" | "all" | null;
    /** An agent wants to call a destructive tool and needs approval. `all` needs `mcp_connections:manage`. */
    "mcp_approval.requested"?: "off" | "own" | "all" | null;
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
    /** Costs reached the warning level or the whole of a budget or alert. */
    "budget.reached": "admins"[];
    /** A connector could not be synced. `member`: the member who created the connector. */
    "sync.failed": ("member" | "admins")[];
    /** A worker is lost, will be removed soon, or was removed. `member`: the member that the worker acts for. */
    "worker.unseen": ("member" | "admins")[];
    /** The server of an MCP connection changed its tools. `member`: the member who saved the connection. */
    "mcp_connection.drift": ("member" | "admins")[];
    /** The server of an MCP connection does not answer as it should. `member`: the member who saved the connection. */
    "mcp_connection.failing": ("member" | "admins")[];
    /** An agent wants to call a destructive tool and needs approval. `member`: the member whose agent asks. */
    "mcp_approval.requested": ("member" | "admins")[];
  };
};

export type NotificationSettingsInput = {
  /** Who gets a mail, for each type of event. `admins`: owners and admins. They also get the mails of a member who has left. */
  mail: {
    /** A run failed. `member`: the owner of the automation. */
    "run.failed": ("member" | "admins")[];
    /** A connection to an outside account needs attention. `member`: the owner of the connection, or the member who made it if it is shared. */
    "connection.needs_attention": ("member" | "admins")[];
    /** Costs reached the warning level or the whole of a budget or alert. */
    "budget.reached": "admins"[];
    /** A connector could not be synced. `member`: the member who created the connector. */
    "sync.failed": ("member" | "admins")[];
    /** A worker is lost, will be removed soon, or was removed. `member`: the member that the worker acts for. */
    "worker.unseen"?: ("member" | "admins")[];
    /** The server of an MCP connection changed its tools. `member`: the member who saved the connection. */
    "mcp_connection.drift"?: ("member" | "admins")[];
    /** The server of an MCP connection does not answer as it should. `member`: the member who saved the connection. */
    "mcp_connection.failing"?: ("member" | "admins")[];
    /** An agent wants to call a destructive tool and needs approval. `member`: the member whose agent asks. */
    "mcp_approval.requested"?: ("member" | "admins")[];
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
  /** The redirect URI. Register exactly this value at the provider. */
  redirectUri: string;
  /** How the client authenticates at the token endpoint. */
  tokenEndpointAuthMethod: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none";
  /** The secret itself is never shown again. */
  hasSecret: boolean;
  /** For `private_key_jwt`: the JWK to register at the provider. */
  publicKey: Record<string, unknown> | null;
  /** The tenant at the provider, if the provider has tenants. */
  tenant: string | null;
  /** Requested with every connection. */
  scopes: string[];
  /** Scopes that members can request in addition. */
  optionalScopes: string[];
  /** `organization`: only shared connections, created by an admin. `personal`: members connect their own accounts. */
  connectionMode: "personal" | "organization";
  /** Whether the client has everything that the provider needs. */
  complete: boolean;
  /** The missing fields. Nobody can connect before they are given. */
  missing: string[];
  /** The number of working connections that use it. */
  connections: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
};

export type OauthClientMetadata = {
  /** The URL of this document. */
  client_id: string;
  /** The name that authorization servers show. */
  client_name: string;
  /** The address of this instance. */
  client_uri: string;
  /** Where authorization servers send members back to. */
  redirect_uris: string[];
  /** The grants that this instance uses. */
  grant_types: string[];
  /** The responses that this instance uses. */
  response_types: string[];
  /** How this instance authenticates: it has no secret. */
  token_endpoint_auth_method: string;
  /** A server, not an app on a device. */
  application_type: "web";
  /** The name of the software. */
  software_id: string;
};

export type OauthConnectStart = {
  /** The page at the provider where the person signs in and agrees. */
  authorizeUrl: string;
};

export type OauthConnection = {
  /** The id of the connection. */
  id: string;
  /** The provider. */
  providerId: string;
  /** The label of the connection. */
  account: string;
  /** Whether the connection belongs to the organization and is granted to members. */
  shared: boolean;
  /** The member who owns it. Null when it is shared, or when that member has left. */
  memberId: string | null;
  /** The account at the provider. Null when the provider does not name it. */
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
    /** The requested scopes. */
    requested: string[];
    /** The granted scopes. */
    granted: string[];
    /** Requested and not granted. */
    missing: string[];
  };
  /** When the access token expires, in milliseconds since 1970. Null when it does not expire. */
  tokenExpiresAt: number | null;
  /** A new access token can be obtained without a person. */
  refreshes: boolean;
  /** When it was last used, in milliseconds since 1970. Null when it was never used. */
  lastUsedAt: number;
  /** The member who connected it. */
  connectedBy: string;
  /** When the account was connected, in milliseconds since 1970. */
  connectedAt: number;
  /** When it ended, in milliseconds since 1970. Null while it has not ended. */
  endedAt: number | null;
  /** Whether the token was revoked at the provider. Null while the connection has not ended. */
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
  /** The member or user. Null when the service itself acted. */
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
  /** Whether every member may use it. */
  everyone: boolean;
  /** Members, by id. */
  memberIds: string[];
  /** The members of these teams may use it, while they are in the team. */
  teamIds: string[];
};

export type OauthConnectionHealth = {
  /** The current state. */
  status: "connected" | "expiring" | "needs_reconnect" | "uncertain" | "ended";
  /** Why it is unhealthy. Null when it is healthy. */
  reason: "no_refresh" | "provider_unavailable" | "client_rejected" | "revoked_at_provider" | "expired" | "refresh_uncertain" | "disconnected" | "client_changed" | "member_removed" | null;
  /** The meaning of the state, and what to do. */
  message: string;
};

export type OauthConnectionPage = {
  /** The entries of this page. */
  items: OauthConnection[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type OauthConnectionUses = {
  /** How many automations that are not archived use the connection. */
  automationCount: number;
  /** Those of them that the caller may read, at most 100. */
  automations: {
    /** The id. Ids of one kind have one prefix and sort by the time they were created. */
    id: string;
    /** The name that people see. One line. */
    name: string;
    /** The current state. */
    status: "active" | "inactive";
  }[];
  /** How many workers were assigned the connection. */
  workerCount: number;
  /** Those of them, at most 100. Empty without `workers:read`. */
  workers: {
    /** The id. Ids of one kind have one prefix and sort by the time they were created. */
    id: string;
    /** The name that people see. One line. */
    name: string;
  }[];
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
  /** Null until a tenant is given, or until the issuer's metadata was read. */
  authorizationEndpoint: string | null;
  /** Where tokens are exchanged. */
  tokenEndpoint: string | null;
  /** Whether tokens can be revoked at the provider. */
  revocable: boolean | null;
  /** How the provider handles refresh tokens. */
  refresh: "rotating" | "reusable" | "none";
  /** Requested by default. The client can replace them. */
  scopes: string[];
  /** Scopes that a member can request in addition to `scopes`. */
  optionalScopes: string[];
  /** The `tenant` that the client needs. */
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
  /** The redirect URI. Register exactly this value at the provider. */
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

export type OauthRegistration = {
  /** The id that the client sends from now on. */
  client_id: string;
  /** The name on the consent page. */
  client_name: string;
  /** Where browsers are sent back to. */
  redirect_uris: string[];
  /** Always `none`. */
  token_endpoint_auth_method: "none";
};

export type OauthResourceMetadata = {
  /** The address of the MCP endpoint. Tokens are issued for it only. */
  resource: string;
  /** The name of the resource. */
  resource_name: string;
  /** The authorization servers of the resource. */
  authorization_servers: string[];
  /** The scopes that can be asked for. */
  scopes_supported: string[];
  /** How a token is sent. */
  bearer_methods_supported: string[];
  /** The documentation for developers. */
  resource_documentation: string;
};

export type OauthServerMetadata = {
  /** The address of this instance. */
  issuer: string;
  /** Where a browser asks for access. */
  authorization_endpoint: string;
  /** Where codes and refresh tokens are exchanged. */
  token_endpoint: string;
  /** Where a client gives tokens back. */
  revocation_endpoint: string;
  /** Where a client registers itself. */
  registration_endpoint: string;
  /** The scopes that can be asked for. */
  scopes_supported: string[];
  /** The flows that are offered. */
  response_types_supported: string[];
  /** How the answer reaches the client. */
  response_modes_supported: string[];
  /** What can be exchanged for a token. */
  grant_types_supported: string[];
  /** Only `none`: all clients are public clients with PKCE. */
  token_endpoint_auth_methods_supported: string[];
  /** How a client that revokes identifies itself. */
  revocation_endpoint_auth_methods_supported: string[];
  /** The methods of PKCE. */
  code_challenge_methods_supported: string[];
  /** Whether answers name the issuer (RFC 9207). */
  authorization_response_iss_parameter_supported: boolean;
  /** Whether a client's id can be the URL of its metadata. */
  client_id_metadata_document_supported: boolean;
  /** What tokens are issued for. */
  protected_resources: string[];
  /** The documentation for developers. */
  service_documentation: string;
};

export type OauthToken = {
  /** `sba_…`, valid for an hour at the MCP endpoint. */
  access_token: string;
  /** How the access token is sent. */
  token_type: "Bearer";
  /** How long the access token is valid, in seconds. */
  expires_in: number;
  /** `sbf_…`. It is used once: every reply contains the next one. */
  refresh_token: string;
  /** The scopes that the person gave. */
  scope: string;
};

export type Organization = {
  /** The id of the organization. */
  id: string;
  /** The name of the organization. */
  name: string;
  /** A short name for URLs: lower-case letters, digits and hyphens. */
  slug: string;
  /** The domains of addresses that can be invited. An empty list allows every domain. */
  allowedEmailDomains: string[];
  /** The minutes for which a sign-in is valid in this organization. Null means no limit. */
  sessionMaxAgeMinutes: number | null;
  /** Only sessions of the organization's own single sign-on are accepted. */
  requireSso: boolean;
  /** While `requireSso` is true: the owner who may sign in with password and second factor. Each use is reported to all owners. */
  breakGlassMemberId: string | null;
  /** When the workspace is deleted unless somebody claims it, in milliseconds since 1970. Null when it has an owner. */
  provisionalUntil: number | null;
  /** When an administrator of the instance suspended the organization, in milliseconds since 1970. Every other request in it is refused. Null when it is not suspended. */
  suspendedAt: number | null;
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

export type OtlpLogsReply = {
  /** Absent when everything was stored, now or before. */
  partialSuccess?: {
    /** How many were not stored. */
    rejectedLogRecords?: string;
    /** Why some were not stored, or what else the sender should know. */
    errorMessage: string;
  };
};

export type OtlpMetricsReply = {
  /** Absent when everything was stored, now or before. */
  partialSuccess?: {
    /** How many were not stored. */
    rejectedDataPoints?: string;
    /** Why some were not stored, or what else the sender should know. */
    errorMessage: string;
  };
};

export type OtlpStatus = {
  /** The code of `google.rpc.Code` that is nearest to the HTTP status. */
  code: number;
  /** What is wrong, and what to do. */
  message: string;
};

export type OtlpTraceReply = {
  /** Absent when everything was stored, now or before. */
  partialSuccess?: {
    /** How many were not stored. */
    rejectedSpans?: string;
    /** Why some were not stored, or what else the sender should know. */
    errorMessage: string;
  };
};

export type OverviewCounts = {
  /** Runs that wait or run now. Without `automations:manage`, the caller's own. */
  runs: {
    /** Runs that wait for a runner. */
    queued: number;
    /** Runs that are running. */
    running: number;
  } | null;
  /** Without `automations:manage`, the caller's own. */
  automations: {
    /** Automations whose schedule is active. */
    active: number;
    /** Automations whose schedule is not active. */
    inactive: number;
  } | null;
  /** A change can take some seconds to appear here. Needs `workers:read`. */
  workers: {
    /** All workers. */
    total: number;
    /** Those whose heartbeats arrive, also paused ones. */
    present: number;
    /** Those that execute runs. */
    busy: number;
  } | null;
  /** Needs `members:read`. */
  people: {
    /** Members who are not deactivated. */
    members: number;
    /** Deactivated members. */
    deactivated: number;
    /** The teams that the member is in. */
    teams: number;
    /** Roles, with the three built-in ones. */
    roles: number;
  } | null;
  /** Open invitations that have not expired. Needs `members:invite`. */
  invitations: number | null;
  /** Needs `templates:read`. */
  templates: number | null;
  /** Needs `connectors:read`. */
  connectors: number | null;
  /** Connections that have not ended. Needs `connections:use`; without `connections:manage`, those that the caller may use. */
  connections: number | null;
};

export type OverviewInterval = {
  /** The start, in milliseconds since 1970. The first interval can start within a day. */
  start: number;
  /** The end, in milliseconds since 1970. It is not included. */
  end: number;
  /** The start as local time in the time zone. */
  local: string;
  /** Runs that were created in this time: the sum of the six states. */
  runs: number;
  /** Of these, runs that wait for a runner now. */
  queued: number;
  /** Of these, runs that are running now. */
  running: number;
  /** Of these, runs that succeeded. */
  succeeded: number;
  /** Of these, runs that failed. */
  failed: number;
  /** Of these, runs that were cancelled. */
  cancelled: number;
  /** Of these, runs that were skipped. */
  skipped: number;
  /** The known cost that was reported in this time, in millionths of `currency`. */
  costMicros: number;
};

export type OverviewMonth = {
  /** The calendar month in UTC, as for budgets. */
  month: string;
  /** When the month ends, in milliseconds since 1970. */
  endsAt: number;
  /** The cost of the month so far, in millionths of `currency`. */
  spentMicros: number;
  /** The monthly budget of the organization. Null when there is none, or when only the caller's own costs are shown. */
  budgetMicros: number | null;
  /** The expected cost of the whole month: what is spent, plus the average of the last complete days for the rest of the month. Null when fewer than three complete days have passed since the first cost. */
  forecastMicros: number | null;
  /** How many complete days the average covers: those since the first cost, at most 7. */
  forecastDays: number;
  /** When the budget will be reached at this rate, in milliseconds since 1970. Null when it will not be reached in this month, or is reached already. */
  budgetReachedAt: number | null;
};

export type OverviewPeriod = {
  /** The start, in milliseconds since 1970. */
  start: number;
  /** The end, in milliseconds since 1970. It is not included. */
  end: number;
  /** Runs that were created in this time: the sum of the six states. */
  runs: number;
  /** Of these, runs that wait for a runner now. */
  queued: number;
  /** Of these, runs that are running now. */
  running: number;
  /** Of these, runs that succeeded. */
  succeeded: number;
  /** Of these, runs that failed. */
  failed: number;
  /** Of these, runs that were cancelled. */
  cancelled: number;
  /** Of these, runs that were skipped. */
  skipped: number;
  /** The known cost that was reported in this time, in millionths of `currency`. */
  costMicros: number;
  /** Runs with tokens whose price is not known. Their cost is not part of `costMicros`. Only the newest 20,000 reports without a price are looked at. */
  unpricedRuns: number;
  /** The median time from the start to the end, of the runs that succeeded or failed, at most 5 % too small or too large. Null when there is none. */
  medianDurationMs: number | null;
};

export type OverviewReason = {
  /** The current state. */
  status: "failed" | "cancelled" | "skipped";
  /** The `reason` of the runs. Null when they have none. */
  reason: string | null;
  /** Runs of the period. */
  runs: number;
  /** Runs of the period before. */
  runsBefore: number;
};

export type OverviewRuns = {
  /** The time zone whose days and hours are counted. */
  timeZone: string;
  /** Whether the items are days or hours. */
  interval: "day" | "hour";
  /** The currency of all costs. */
  currency: "USD";
  /** `own`: the caller may only see their own, and the figures cover only these. */
  runScope: "organization" | "own";
  /** `own`: the caller may only see their own, and the figures cover only these. */
  costScope: "organization" | "own";
  /** The figures of the whole period. */
  period: OverviewPeriod;
  /** The period of the same length right before. */
  before: OverviewPeriod;
  /** The intervals of the period, oldest first, also those without runs. */
  items: OverviewInterval[];
  /** Why runs of the period did not succeed, by number of runs, largest first. */
  reasons: OverviewReason[];
  /** The month. */
  month: OverviewMonth;
};

export type Passkey = {
  /** Its id. */
  id: string;
  /** The name that its owner gave it. */
  name: string;
  /** True when a password manager copies it to other devices. */
  synced: boolean;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last used, in milliseconds since 1970. Null when it was never used. */
  lastUsedAt: number | null;
};

export type PasskeyCreationOptions = {
  /** A random value that the authenticator signs. */
  challenge: string;
  /** The site that the passkey belongs to. */
  rp: {
    /** The host name of the site. */
    id: string;
    /** The name of the site. */
    name: string;
  };
  /** The account that the passkey signs in to. */
  user: {
    /** The id of the account, in base64url. */
    id: string;
    /** The e-mail address of the account. */
    name: string;
    /** The name of the person. */
    displayName: string;
  };
  /** The algorithms that are accepted. */
  pubKeyCredParams: {
    /** Which kind it is. */
    type: "public-key";
    /** The number of the algorithm (COSE). */
    alg: number;
  }[];
  /** How long the browser may take, in milliseconds. */
  timeout: number;
  /** No proof of the authenticator's model is asked for. */
  attestation: "none";
  /** Passkeys that the account has already. */
  excludeCredentials: {
    /** Which kind it is. */
    type: "public-key";
    /** The id of the passkey, in base64url. */
    id: string;
    /** How the browser reaches the authenticator. */
    transports?: string[];
  }[];
  /** What the authenticator must be able to do. */
  authenticatorSelection: {
    /** The authenticator finds the account by itself. */
    residentKey: "required";
    /** The same, for older browsers. */
    requireResidentKey: true;
    /** Whether a fingerprint, face or PIN is needed. */
    userVerification: "required" | "preferred" | "discouraged";
  };
};

export type PasskeyPage = {
  /** The entries of this page. */
  items: Passkey[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type PasskeyRegistration = {
  /** The id of the passkey, in base64url. */
  id: string;
  /** The same as `id`. */
  rawId: string;
  /** Which kind it is. */
  type: "public-key";
  /** Results of extensions. They are not used. */
  clientExtensionResults?: Record<string, unknown>;
  /** What the authenticator made. */
  response: {
    /** What the browser saw, in base64url: challenge and origin. */
    clientDataJSON: string;
    /** The new public key, in base64url. */
    attestationObject: string;
    /** How the browser reaches the authenticator. */
    transports?: string[];
  };
};

export type PasskeyRequestOptions = {
  /** A random value that the authenticator signs. */
  challenge: string;
  /** The host name of the site. */
  rpId: string;
  /** How long the browser may take, in milliseconds. */
  timeout: number;
  /** Whether a fingerprint, face or PIN is needed. */
  userVerification: "required" | "preferred" | "discouraged";
  /** Empty: the browser offers every passkey of this site. */
  allowCredentials: {
    /** Which kind it is. */
    type: "public-key";
    /** The id of the passkey, in base64url. */
    id: string;
    /** How the browser reaches the authenticator. */
    transports?: string[];
  }[];
};

export type PasskeySignIn = {
  /** The id of the passkey, in base64url. */
  id: string;
  /** The same as `id`. */
  rawId: string;
  /** Which kind it is. */
  type: "public-key";
  /** Results of extensions. They are not used. */
  clientExtensionResults?: Record<string, unknown>;
  /** What the authenticator signed. */
  response: {
    /** What the browser saw, in base64url: challenge and origin. */
    clientDataJSON: string;
    /** The state of the authenticator, in base64url. */
    authenticatorData: string;
    /** The signature, in base64url. */
    signature: string;
    /** The id of the account, in base64url. */
    userHandle?: string | null;
  };
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
  /** What the permission allows. */
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
  /** A text for people that explains its purpose. */
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

export type RecentChange = {
  /** Which kind it is. */
  type: "change";
  /** The audit entry. */
  id: string;
  /** When it happened, in milliseconds since 1970. */
  at: number;
  /** The action, such as `member.removed`. */
  action: string;
  /** The name of the person at that time. Null for a directory. */
  actorName: string | null;
  /** The member who did it. Null for a directory. */
  actorMemberId: string | null;
  /** The changed object. */
  target: {
    /** Which kind it is. */
    type: string;
    /** The id. Ids of one kind have one prefix and sort by the time they were created. */
    id: string | null;
    /** The name in the audit entry. If the entry has none: the present name, or the last one of a deleted target. */
    name: string | null;
  };
};

export type RecentItems = {
  /** The entries of this page. */
  items: (RecentChange | RecentRun)[];
};

export type RecentRun = {
  /** Which kind it is. */
  type: "run";
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** When the run ended, in milliseconds since 1970. */
  at: number;
  /** The automation. */
  automationId: string;
  /** The name of the automation. */
  automationName: string;
  /** The current state. */
  status: "succeeded" | "failed" | "cancelled" | "skipped";
  /** The reason, as a code or a short text. */
  reason: string | null;
  /** The name of the member. Null when the member has left. */
  memberName: string | null;
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
  /** The value of a member's `role`: `owner`, `admin`, `member`, or `role_…`. */
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

export type ScimCall = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The HTTP method. */
  method: string;
  /** The path and the query, without tokens. Bodies are not kept. */
  path: string;
  /** The HTTP status of the reply. */
  status: number;
  /** What the directory was told, if it was refused. */
  error: string | null;
  /** How long the reply took. */
  durationMs: number;
  /** Finds the call in the service's log. */
  requestId: string;
  /** When the call began. */
  calledAt: number;
};

export type ScimCallPage = {
  /** The entries of this page. */
  items: ScimCall[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type ScimConnector = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The name that people see. One line. */
  name: string;
  /** While it is disabled, every call of the directory is refused. */
  enabled: boolean;
  /** The role of members without a mapped role. */
  defaultRole: string;
  /** What the groups of the provider give. */
  groupMappings: ScimGroupMapping[];
  /** Tokens that are valid now, newest first. */
  tokens: ScimToken[];
  /** The health of the connection. */
  health: ScimHealth;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
};

export type ScimError = {
  /** Always the schema of SCIM errors. */
  schemas: "urn:ietf:params:scim:api:messages:2.0:Error"[];
  /** The HTTP status, as text. */
  status: string;
  /** The kind of problem. Only some problems have one. */
  scimType?: "invalidFilter" | "tooMany" | "uniqueness" | "mutability" | "invalidSyntax" | "invalidPath" | "noTarget" | "invalidValue" | "invalidVers" | "sensitive" | "invalidCursor" | "expiredCursor" | "invalidCount";
  /** What is wrong, and what to do. */
  detail: string;
};

export type ScimGroupMapping = {
  /** The `displayName` of a group of the directory, in any case, or its `externalId`. */
  group: string;
  /** The role of the group's members. Never `owner`. The first mapping that gives a role decides. */
  role?: string;
  /** The team that the group's members are in. */
  teamId?: string;
};

export type ScimHealth = {
  /** `failing`: the latest call was refused or failed. */
  status: "never_called" | "working" | "failing" | "disabled";
  /** When the directory last called. */
  lastCallAt: number | null;
  /** When a sign-in was last refused, in milliseconds since 1970. Null: never. */
  lastErrorAt: number | null;
  /** What the directory was told at its latest error. */
  lastError: string | null;
  /** Calls since the connector was created. */
  calls: number;
  /** Calls that were refused or failed. */
  errors: number;
  /** Users that the directory has created. */
  users: number;
  /** Users who are active. A member whom an admin deactivated is not. */
  activeUsers: number;
  /** Users who are members of the organization. */
  linkedUsers: number;
  /** The claim that holds the groups. */
  groups: number;
};

export type ScimListResponse = {
  /** The schema of the message. */
  schemas: string[];
  /** How many resources match, on all pages. */
  totalResults: number;
  /** The number of the first result. */
  startIndex?: number;
  /** How many resources this reply has. */
  itemsPerPage: number;
  /** Where the next page begins. Absent on the last page. */
  nextCursor?: string;
  /** The resources. */
  Resources: ScimResource[];
};

export type ScimPatchBody = {
  /** The schema of the message. */
  schemas?: string[];
  /** The changes, in their order. */
  Operations?: unknown[];
};

export type ScimResource = {
  /** The schemas of the resource. */
  schemas: string[];
  /** The id of the resource. */
  id?: string;
  /** Facts about the resource: kind, times, address and version. */
  meta?: Record<string, unknown>;
};

export type ScimResourceBody = {
  /** The schemas of the resource. */
  schemas?: string[];
};

export type ScimSearchRequest = {
  /** The schema of the message. */
  schemas?: string[];
  /** The attributes to return. */
  attributes?: string[];
  /** The attributes to omit. */
  excludedAttributes?: string[];
  /** Selects resources, as in RFC 7644, 3.4.2.2. */
  filter?: string;
  /** The attribute that decides the order. */
  sortBy?: string;
  /** `ascending` or `descending`. */
  sortOrder?: string;
  /** The number of the first result, from 1. */
  startIndex?: number;
  /** The maximum number of resources in the reply. */
  count?: number;
  /** `nextCursor` of the page before (RFC 9865). Empty for the first page. */
  cursor?: string;
};

export type ScimToken = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The first letters of the token, to tell tokens apart. */
  start: string;
  /** Null: valid until it is rotated. */
  expiresAt: number | null;
  /** To within some seconds. */
  lastUsedAt: number | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type SharedMcpDiscovery = {
  /** The address that was discovered. Text that looks like a credential is replaced by [redacted]. */
  url: string;
  /** The current state. */
  status: "ready" | "manual_action_required" | "unsupported" | "unreachable";
  /** How many requests were sent. */
  requests: number;
  /** How long the discovery took, in milliseconds. */
  durationMs: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** The verdict, as `POST /v1/mcp-connections/discover` returns it. */
  result: ExternalMcpRequirementsDiscovery;
  /** The requests that were sent, in their order. */
  evidence: ExternalMcpRequirementsDiscoveryEvidence[];
  /** When it expires, in milliseconds since 1970. Null when it never expires. */
  expiresAt: number;
};

export type SignedIn = {
  /** Send it as `Authorization: Bearer <token>`. */
  token: string;
  /** The person. */
  user: User;
};

export type SsoCertificate = {
  /** SHA-256 of the certificate, in hexadecimal. */
  fingerprint: string;
  /** Whom the certificate names. */
  subject: string;
  /** From when the certificate is valid, in milliseconds since 1970. */
  notBefore: number;
  /** When the certificate ends. It is shown, but not enforced: SAML uses only its key. */
  notAfter: number;
};

export type SsoClaims = {
  /** The claim that holds the e-mail address. */
  email: string;
  /** The claim that holds the name. */
  name: string;
  /** The claim that holds the groups. */
  groups: string;
};

export type SsoConnector = SsoOidcConnector | SsoSamlConnector;

export type SsoConnectorPage = {
  /** The entries of this page. */
  items: SsoConnector[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type SsoDomain = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The domain. */
  domain: string;
  /** The name of the TXT record to add. */
  txtName: string;
  /** The value of the TXT record to add. Leave it there: it is checked every day. */
  txtValue: string;
  /** Since when the domain is verified. Null: it is not. */
  verifiedAt: number | null;
  /** When the record was last looked for, in milliseconds since 1970. Null: never. */
  checkedAt: number | null;
  /** Since when the record is missing. After 7 days the domain is no longer verified. */
  failingSince: number | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type SsoDomainPage = {
  /** The entries of this page. */
  items: SsoDomain[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type SsoEndpoints = {
  /** Where people sign in. */
  authorizationEndpoint: string;
  /** Where tokens are exchanged. */
  tokenEndpoint: string;
  /** Where the keys are that sign ID tokens. */
  jwksUri: string;
  /** Where more claims can be asked for. */
  userinfoEndpoint?: string;
};

export type SsoEvent = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** What the call was for. `metadata`: reading the provider's metadata. */
  purpose: "sign_in" | "reauthenticate" | "test" | "link" | "metadata";
  /** How it ended. */
  outcome: "succeeded" | "refused";
  /** Why, as a code: `signed_in`, `domain_not_verified`, `id_token_exp_out_of_range`. */
  code: string;
  /** What happened. */
  message: string;
  /** The provider's own id of the person, once it is proved. */
  subject: string | null;
  /** The address that the provider gave. */
  email: string | null;
  /** The account that signed in. */
  userId: string | null;
  /** The network address of the browser. */
  address: string | null;
  /** The id of the request. The service's log entry for the request has the same id. */
  requestId: string | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type SsoEventPage = {
  /** The entries of this page. */
  items: SsoEvent[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type SsoGroupMapping = {
  /** The name or id of the group, exactly as the provider sends it. */
  group: string;
  /** The role that people of the group get. The first mapping that matches decides. Never `owner`. */
  role?: string;
  /** The team that people of the group join. */
  teamId?: string;
};

export type SsoHealth = {
  /** When somebody last signed in, in milliseconds since 1970. Null: never. */
  lastSignInAt: number | null;
  /** When a sign-in was last refused, in milliseconds since 1970. Null: never. */
  lastErrorAt: number | null;
  /** Why a sign-in was last refused, as a code. */
  lastErrorCode: string | null;
  /** Why a sign-in was last refused. */
  lastError: string | null;
  /** How many sign-ins succeeded. */
  signIns: number;
  /** How many sign-ins were refused. */
  failures: number;
  /** When the last certificate of a SAML provider ends. Null for OpenID Connect. */
  certificateEndsAt: number | null;
  /** `ends_soon`: within 30 days. `ended`: sign-ins still work, because SAML uses only the key. Null for OpenID Connect. */
  certificateState: "valid" | "ends_soon" | "ended" | null;
};

export type SsoIdentity = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The provider's own id of the person. */
  subject: string;
  /** The person. */
  userId: string;
  /** Null when the person is no longer a member. */
  memberId: string | null;
  /** The name that people see. One line. */
  name: string;
  /** The address that the provider gave at the last sign-in. */
  email: string | null;
  /** When somebody last signed in, in milliseconds since 1970. Null: never. */
  lastSignInAt: number | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type SsoIdentityPage = {
  /** The entries of this page. */
  items: SsoIdentity[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type SsoMetadata = {
  /** Null: the metadata was sent as XML. */
  url: string | null;
  /** When the metadata was last read, in milliseconds since 1970. */
  checkedAt: number | null;
  /** Why the last check failed. Null: it did not. */
  failureCode: string | null;
  /** Why the last check failed, in a sentence. Null: it did not. */
  failure: string | null;
  /** What the provider changed, and nobody has approved yet. */
  change: SsoMetadataChange | null;
};

export type SsoMetadataChange = {
  /** Names exactly this change, for `POST /v1/sso/{id}/metadata/approve`. */
  id: string;
  /** When the change was first seen. */
  since: number;
  /** Certificates that would be accepted. */
  certificatesAdded: SsoCertificate[];
  /** Certificates that would no longer be accepted. */
  certificatesRemoved: SsoCertificate[];
  /** Endpoints that would be used. */
  endpointsAdded: SsoSamlEndpoint[];
  /** Endpoints that would no longer be used. */
  endpointsRemoved: SsoSamlEndpoint[];
  /** Null: no change. */
  wantsSignedRequests: {
    /** What is used now. */
    before: boolean;
    /** What the provider says. */
    after: boolean;
  } | null;
};

export type SsoOidcConnector = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The name that people see. One line. */
  name: string;
  /** A disabled connector signs nobody in; its sessions ended. */
  enabled: boolean;
  /** Opens a sign-in in a browser. */
  startUrl: string;
  /** The role of people who sign in for the first time. */
  defaultRole: string;
  /** What the groups of the provider give. */
  groupMappings: SsoGroupMapping[];
  /** Whether people who are no members yet become members. */
  createsMembers: boolean;
  /** When somebody last tested it by signing in as themselves. A change of the connection empties it. */
  testedAt: number | null;
  /** Who tested it. Null when nobody has since its last change. */
  testedByUserId: string | null;
  /** The health of the connection. */
  health: SsoHealth;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
  /** Which kind it is. */
  kind: "oidc";
  /** The issuer of the authorization server. */
  issuer: string;
  /** Null: the issuer's metadata tells them. */
  endpoints: SsoEndpoints | null;
  /** The client id that the provider gave. */
  clientId: string;
  /** The secret itself is never shown again. */
  hasClientSecret: boolean;
  /** Until when the earlier secret is tried, if the provider refuses the new one. */
  earlierSecretUntil: number | null;
  /** Null: as the metadata allows. */
  tokenEndpointAuthMethod: "client_secret_basic" | "client_secret_post" | "none" | null;
  /** The names of its scopes. */
  scopes: string[];
  /** The names of the claims that contain the address, the name and the groups. */
  claims: SsoClaims;
  /** Register exactly this one at the provider. */
  redirectUri: string;
};

export type SsoResolution = {
  /** The HTTP method. */
  method: "sso" | "password";
  /** The address to open in a browser. */
  startUrl?: string;
};

export type SsoSamlAttributes = {
  /** The attribute that holds the e-mail address. */
  email: string | null;
  /** The attribute that holds the name. */
  name: string | null;
  /** The attribute that holds the groups. */
  groups: string | null;
};

export type SsoSamlConnector = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The name that people see. One line. */
  name: string;
  /** A disabled connector signs nobody in; its sessions ended. */
  enabled: boolean;
  /** Opens a sign-in in a browser. */
  startUrl: string;
  /** The role of people who sign in for the first time. */
  defaultRole: string;
  /** What the groups of the provider give. */
  groupMappings: SsoGroupMapping[];
  /** Whether people who are no members yet become members. */
  createsMembers: boolean;
  /** When somebody last tested it by signing in as themselves. A change of the connection empties it. */
  testedAt: number | null;
  /** Who tested it. Null when nobody has since its last change. */
  testedByUserId: string | null;
  /** The health of the connection. */
  health: SsoHealth;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
  /** The protocol. */
  kind: "saml";
  /** Our entity id. The audience of assertions must be exactly this one. */
  entityId: string;
  /** Where the provider sends responses to (Assertion Consumer Service). */
  acsUrl: string;
  /** Our metadata, for the provider. */
  metadataUrl: string;
  /** Our certificate: it signs requests, and assertions may be encrypted with it. */
  certificate: SsoCertificate;
  /** The same certificate, to copy to the provider. */
  certificatePem: string;
  /** Until when assertions that are encrypted with the earlier certificate are accepted. */
  earlierCertificateUntil: number | null;
  /** The identity provider, as its approved metadata says. */
  provider: SsoSamlProvider;
  /** How requests are sent. Null: by redirect if the provider offers it. */
  binding: "redirect" | "post" | null;
  /** What the provider must sign. */
  requireSigned: "either" | "assertion" | "response" | "both";
  /** The attribute that identifies a person. Null: the NameID. */
  subjectAttribute: string | null;
  /** The format of NameID that requests ask for. */
  nameIdFormat: string | null;
  /** Whether people may start at the provider. */
  allowsProviderStart: boolean;
  /** Which attributes hold address, name and groups. Null: the usual names. */
  attributes: SsoSamlAttributes;
};

export type SsoSamlEndpoint = {
  /** How the request is sent. */
  binding: "redirect" | "post";
  /** The address of the endpoint. */
  url: string;
};

export type SsoSamlProvider = {
  /** The entity id of the provider. It never changes. */
  entityId: string;
  /** Where people sign in at the provider. */
  endpoints: SsoSamlEndpoint[];
  /** Each of them may sign. */
  certificates: SsoCertificate[];
  /** Whether the provider requires signed requests. */
  wantsSignedRequests: boolean;
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

export type TelemetryEvent = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** How it was reported. */
  signal: "event" | "span" | "log" | "metric";
  /** The id that the sender gave. For spans, the ids of trace and span; for others, a hash. */
  eventId: string;
  /** When it happened. For spans, the start. */
  at: number;
  /** What happened. */
  type: string;
  /** Whose names the sender used. */
  source: "gen_ai" | "openllmetry" | "openinference" | "ai_sdk" | "claude_code" | "other";
  /** The version of the mapping of names to fields. */
  mappingVersion: number;
  /** The member that it belongs to. */
  memberId: string | null;
  /** The worker that reported it. */
  workerId: string | null;
  /** The run that it belongs to. */
  runId: string | null;
  /** The automation of the run. */
  automationId: string | null;
  /** The LLM provider, as the sender names it. */
  provider: string | null;
  /** The model. `other` beyond the limit of names per day. */
  model: string | null;
  /** All input tokens, cached ones too. */
  inputTokens: number | null;
  /** Output tokens. */
  outputTokens: number | null;
  /** Input tokens that were read from a cache. */
  cacheReadTokens: number | null;
  /** Input tokens that were written to a cache. */
  cacheWriteTokens: number | null;
  /** The cost. Null when it is not known. */
  costMicros: number | null;
  /** Where the cost comes from: the sender, the catalogue of prices, or nowhere. `none`: it has no cost of its own. */
  pricing: "reported" | "estimated" | "unpriced" | "none";
  /** False when another event reports the same tokens. */
  countsUsage: boolean;
  /** How long it took. */
  durationMs: number | null;
  /** True when it reports a failure. */
  failed: boolean;
  /** What a point of a metric adds. */
  value: number | null;
  /** The tool. `other` beyond the limit of names per day. */
  toolName: string | null;
  /** The agent, as the sender names it. */
  agentName: string | null;
  /** The conversation or session. */
  conversationId: string | null;
  /** Other attributes, of limited number and size. */
  attributes: Record<string, unknown> | null;
  /** When it arrived. */
  receivedAt: number;
};

export type TelemetryEventInput = {
  /** Chosen by the sender, such as a UUID. An event with a known id is not stored again. */
  id: string;
  /** What happened. Any name; those of the sender are kept as they are. */
  type: string;
  /** When it happened, in milliseconds since 1970. */
  at: number;
  /** The caller, unless it may report for other members. */
  memberId?: string;
  /** The worker that it is about. */
  workerId?: string;
  /** A run that the caller may report about. */
  runId?: string;
  /** The model that was used. */
  model?: string;
  /** More about it. Names of the GenAI conventions become fields: `gen_ai.usage.input_tokens`, `gen_ai.tool.name` and others. */
  attributes?: Record<string, number | string | boolean | null>;
};

export type TelemetryEventPage = {
  /** The entries of this page. */
  items: TelemetryEvent[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type TelemetryReport = {
  /** New events. */
  accepted: number;
  /** Events that were stored before. */
  duplicates: number;
  /** Ids that other events already have. These events were not stored. Absent when there are none. */
  conflicts?: string[];
};

export type TelemetrySettings = {
  /** False: telemetry is accepted and dropped, so that senders need not be changed. */
  enabled: boolean;
  /** True: prompts, replies, arguments of tools and bodies of log records are stored too. */
  keepsContents: boolean;
  /** How long events are kept. Daily sums are kept for 800 days. */
  retentionDays: number;
};

export type TelemetrySummaryItem = {
  /** The day in UTC. */
  day?: string;
  /** The type of the events. */
  type?: string;
  /** The member. Null for events without one. */
  memberId?: string | null;
  /** Null when the member has left, or there is none. */
  memberName?: string | null;
  /** A team of the member today. Null for members without a team. */
  teamId?: string | null;
  /** The name of the team. */
  teamName?: string | null;
  /** The model. Null for events without one. */
  model?: string | null;
  /** The worker. Null for events without one. */
  workerId?: string | null;
  /** Null when the worker was removed, or there is none. */
  workerName?: string | null;
  /** The automation. Null for events without one. */
  automationId?: string | null;
  /** The name of the automation. */
  automationName?: string | null;
  /** The number of events. */
  events: number;
  /** The number of events that report a failure. */
  failures: number;
  /** Input tokens, with those that were read from or written to a cache. */
  inputTokens: number;
  /** Output tokens. */
  outputTokens: number;
  /** The part of the input tokens that was read from a cache. */
  cacheReadTokens: number;
  /** The part of the input tokens that was written to a cache. */
  cacheWriteTokens: number;
  /** Millionths of the currency of the prices. Null when no event has a cost: unknown is not 0. */
  costMicros: number | null;
  /** Events with a cost, reported or estimated. */
  pricedEvents: number;
  /** Events with tokens for which no price is known. Their cost is missing. */
  unpricedEvents: number;
  /** The sum of all durations. */
  durationMs: number;
  /** Events with a duration. */
  timedEvents: number;
  /** The sum of the values of metrics. Only useful for one type. */
  value: number;
};

export type TelemetrySummaryPage = {
  /** The entries of this page. */
  items: TelemetrySummaryItem[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type Template = {
  /** The id of the template. */
  id: string;
  /** The name for programs, unique in the organization. */
  slug: string;
  /** The name that people see. One line. */
  name: string;
  /** A text for people that explains its purpose. */
  description: string;
  /** Words to find the template by. */
  tags: string[];
  /** Each change adds 1. */
  version: number;
  /** The file of a repository that it follows. Null when it was created by hand. */
  source: TemplateSource | null;
  /** The member. Null for a sync. */
  createdBy: string | null;
  /** The member. Null for a sync. */
  updatedBy: string | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
  /** The text of the template, in Markdown. */
  body: string;
  /** Other fields of the template. */
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
  /** The path of the file from the root of the repository. */
  path: string;
  /** The commit that this version was read from. */
  commit: string;
  /** The author of the commit. */
  author: string | null;
};

export type TemplateSummary = {
  /** The id of the template. */
  id: string;
  /** The name for programs, unique in the organization. */
  slug: string;
  /** The name that people see. One line. */
  name: string;
  /** A text for people that explains its purpose. */
  description: string;
  /** Words to find the template by. */
  tags: string[];
  /** Each change adds 1. */
  version: number;
  /** The file of a repository that it follows. Null when it was created by hand. */
  source: TemplateSource | null;
  /** The member. Null for a sync. */
  createdBy: string | null;
  /** The member. Null for a sync. */
  updatedBy: string | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
};

export type TemplateVersion = {
  /** The number of the version, from 1. */
  version: number;
  /** A short name for URLs: lower-case letters, digits and hyphens. */
  slug: string;
  /** The name that people see. One line. */
  name: string;
  /** A text for people that explains its purpose. */
  description: string;
  /** Words to find the template by. */
  tags: string[];
  /** The commit that it was read from. Null when it was created by hand. */
  commit: string | null;
  /** The member who created this version. */
  author: string | null;
  /** The member. Null for a sync. */
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
  /** The number of the version, from 1. */
  version: number;
  /** A short name for URLs: lower-case letters, digits and hyphens. */
  slug: string;
  /** The name that people see. One line. */
  name: string;
  /** A text for people that explains its purpose. */
  description: string;
  /** Words to find the template by. */
  tags: string[];
  /** The commit that it was read from. Null when it was created by hand. */
  commit: string | null;
  /** The member who created this version. */
  author: string | null;
  /** The member. Null for a sync. */
  createdBy: string | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type TwoFactor = {
  /** True with an authenticator app or a passkey. */
  enabled: boolean;
  /** When it was enabled, in milliseconds since 1970. */
  enabledAt: number | null;
  /** Whether an authenticator app is set up. */
  authenticator: boolean;
  /** How many passkeys the account has. */
  passkeys: number;
  /** Renew them with `POST /v1/me/two-factor/backup-codes`. */
  backupCodesLeft: number;
};

export type TwoFactorRequired = {
  /** The token from the first step of the sign-in. */
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
  /** The short name of the organization, for the addresses of the console. */
  organizationSlug: string;
  /** The member of the organization that it belongs to. */
  memberId: string;
  /** The role: `owner`, `admin`, `member`, or the id of a custom role. */
  role: string;
  /** The name of the role, for people. */
  roleName: string;
  /** When the organization was suspended, in milliseconds since 1970. Null when it is not suspended. */
  suspendedAt: number | null;
  /** True for the workspace that `signalbox demo` made up. */
  isDemo: boolean;
};

export type UserSession = {
  /** The id of the session. */
  id: string;
  /** Whether it is the session of this request. */
  current: boolean;
  /** The browser and system that the user agent names, such as `Firefox on Windows`. */
  device: string;
  /** The `User-Agent` header of the request, shortened. */
  userAgent: string;
  /** The network address it was opened from. */
  address: string | null;
  /** How the person signed in. */
  signedInBy: "password" | "passkey" | "sso";
  /** When the person last proved their identity, in milliseconds since 1970. Routes that need a fresh session check it. Null: the identity provider does not say, so the session is never fresh. */
  signedInAt: number | null;
  /** When it was last used, in milliseconds since 1970. Accurate to some seconds. */
  lastUsedAt: number;
  /** Extended with each use. */
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
  /** The id that the code host gave the delivery. */
  deliveryId: string;
  /** Whether sync work was queued; false when there was nothing new to do. */
  queued: boolean;
};

export type WebhookDelivery = {
  /** The id of the delivery. */
  id: string;
  /** The id that the code host gave the delivery. */
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
  /** `ignored`: `reason` says why nothing was queued. `invalid`: `reason` says what is wrong. */
  outcome: "accepted" | "ignored" | "invalid";
  /** Why it was ignored or refused. Null when it was accepted. */
  reason: string | null;
  /** The size of the body. Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  bodyBytes: number | null;
  /** The SHA-256 of the body, in hexadecimal. Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  bodySha256: string | null;
  /** False when the delivery was ignored or invalid, because then its body is not stored. */
  bodyStored: boolean;
  /** The number of repetitions. */
  repeats: number;
  /** When it was first repeated with another body, in milliseconds since 1970. That body is not used. */
  alteredAt: number | null;
  /** When the service received it, in milliseconds since 1970. */
  receivedAt: number;
  /** When it was last received, in milliseconds since 1970. */
  lastReceivedAt: number;
  /** The connectors of this organization that received it. */
  targets: {
    /** The connector. */
    connectorId: string;
    /** The sync that it queued. Null when there was nothing new to do. */
    syncId: string | null;
  }[];
};

export type WebhookDeliveryDetail = {
  /** The id of the delivery. */
  id: string;
  /** The id that the code host gave the delivery. */
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
  /** `ignored`: `reason` says why nothing was queued. `invalid`: `reason` says what is wrong. */
  outcome: "accepted" | "ignored" | "invalid";
  /** Why it was ignored or refused. Null when it was accepted. */
  reason: string | null;
  /** The size of the body. Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  bodyBytes: number | null;
  /** The SHA-256 of the body, in hexadecimal. Null for a delivery to the whole instance until a connector of this organization has read the pushed commit. */
  bodySha256: string | null;
  /** False when the delivery was ignored or invalid, because then its body is not stored. */
  bodyStored: boolean;
  /** The number of repetitions. */
  repeats: number;
  /** When it was first repeated with another body, in milliseconds since 1970. That body is not used. */
  alteredAt: number | null;
  /** When the service received it, in milliseconds since 1970. */
  receivedAt: number;
  /** When it was last received, in milliseconds since 1970. */
  lastReceivedAt: number;
  /** The connectors of this organization that received it. */
  targets: {
    /** The connector. */
    connectorId: string;
    /** The sync that it queued. Null when there was nothing new to do. */
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
  /** The purpose of it, for people. */
  description: string;
  /** The types of events that the endpoint gets. Empty for all types. */
  types: ("run.failed" | "connection.needs_attention" | "budget.reached" | "sync.failed" | "worker.unseen" | "mcp_connection.drift" | "mcp_connection.failing" | "mcp_approval.requested")[];
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
  type: "run.failed" | "connection.needs_attention" | "budget.reached" | "sync.failed" | "worker.unseen" | "mcp_connection.drift" | "mcp_connection.failing" | "mcp_approval.requested" | "endpoint.test";
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
  type: "run.failed" | "connection.needs_attention" | "budget.reached" | "sync.failed" | "worker.unseen" | "mcp_connection.drift" | "mcp_connection.failing" | "mcp_approval.requested" | "endpoint.test";
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
  /** When it last verified a delivery, in milliseconds since 1970. */
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

export type Worker = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The name that people see. One line. */
  name: string;
  /** `local`: a person's own machine. `remote`: a server. `ephemeral`: exists for a short time. */
  kind: "local" | "remote" | "ephemeral";
  /** Words to find and select workers by. */
  labels: string[];
  /** From what was last seen of it; docs/workers.md has the exact rule. */
  state: "never_connected" | "online" | "busy" | "idle" | "draining" | "stale" | "lost" | "stopped" | "paused";
  /** Whether its process lives, as its heartbeats show. */
  liveness: "never_seen" | "alive" | "uncertain" | "lost" | "stopped";
  /** Whether requests of the machine arrive, also those of the runner that it hosts. */
  reachability: "unknown" | "reachable" | "unreachable";
  /** Whether it runs what it should. Independent of whether it is seen. */
  freshness: "unknown" | "current" | "drifted" | "unsupported";
  /** Its API version compared with the server's. */
  skew: "unknown" | "current" | "supported" | "unsupported";
  /** The version that it reported last. */
  version: string | null;
  /** The version it should run. Null: any. */
  desiredVersion: string | null;
  /** The runs of its last heartbeat. */
  runIds: string[];
  /** The time of its last heartbeat or report. Null: never seen. */
  lastSeenAt: number | null;
  /** How long it was not seen, without times in which the server was down. Null: never seen. */
  unseenSeconds: number | null;
  /** When it is removed if it is not seen again, at the earliest. */
  removedAt: number;
  /** Null when it is not paused. */
  pause: {
    /** Why it is paused. */
    note: string;
    /** When it happened, in milliseconds since 1970. */
    at: number;
    /** When it resumes by itself. Null: when somebody resumes it. */
    until: number | null;
  } | null;
  /** When it was asked to stop. Null: it was not asked. */
  drainRequestedAt: number | null;
  /** The member that it acts for. Null: the member has left, and it hosts no runner. */
  ownerId: string | null;
  /** The registration token that it registered with. Null: registered by a person. */
  registrationTokenId: string | null;
  /** The templates whose files its runs get, by id. */
  templateIds: string[];
  /** The connections whose tokens its runs may get, by id. */
  connectionIds: string[];
  /** The LLM providers that it may use. */
  llmProviderIds: string[];
  /** The only MCP connections that its runs can use. Empty: no limit of its own. A connection that was deleted stays in the list. */
  mcpConnectionIds: string[];
  /** The configuration it should use. Null: its own. */
  configuration: Record<string, unknown> | null;
  /** Grows with each change of the configuration. */
  configurationRevision: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
};

export type WorkerAccessToken = {
  /** The access token. */
  accessToken: string;
  /** The type of the token, for the `Authorization` header. */
  tokenType: "Bearer";
  /** When it expires, in milliseconds since 1970. Null when it never expires. */
  expiresAt: number | null;
  /** The names of its scopes. */
  scopes: string[];
  /** The connection. */
  connectionId: string;
  /** The label of the connection. It tells several accounts at one provider apart. */
  account: string;
};

export type WorkerActivity = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** Which kind it is. */
  type: "registered" | "state_changed" | "paused" | "resumed" | "drain_requested" | "version_changed" | "upgrade_changed" | "token_rotated";
  /** For `state_changed` `from` and `to`, for other types what changed. `repeats`: how often the same happened again after the limit of 20 entries in a day. */
  detail: Record<string, unknown>;
  /** When it happened, in milliseconds since 1970. */
  at: number;
};

export type WorkerActivityPage = {
  /** The entries of this page. */
  items: WorkerActivity[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type WorkerAssignments = {
  /** The templates. */
  templates: {
    /** The id. Ids of one kind have one prefix and sort by the time they were created. */
    id: string;
    /** A short name for URLs: lower-case letters, digits and hyphens. */
    slug: string;
    /** The name that people see. One line. */
    name: string;
    /** The version. */
    version: number;
  }[];
  /** The caller's connections. */
  connections: {
    /** The id. Ids of one kind have one prefix and sort by the time they were created. */
    id: string;
    /** The provider. */
    providerId: string;
    /** The label of the connection. It tells several accounts at one provider apart. */
    account: string;
  }[];
  /** Their credentials come from `GET /v1/llm-providers/{id}/credential`. */
  llmProviders: {
    /** The id. Ids of one kind have one prefix and sort by the time they were created. */
    id: string;
    /** Which kind it is. */
    kind: string;
    /** The name that people see. One line. */
    name: string;
  }[];
};

export type WorkerDesired = {
  /** The version it should run. Missing: any version. */
  version?: string;
  /** The upgrade to `version` that waits for it. Missing: there is nothing to do. */
  upgradeId?: string;
  /** The configuration it should use. Missing: its own. */
  configuration?: Record<string, unknown>;
  /** Grows with each change of the configuration. 0: there is none. */
  configurationRevision: number;
  /** It should take no new runs. */
  paused: boolean;
  /** It should finish its runs, take no new ones, and stop. */
  drain: boolean;
};

export type WorkerPage = {
  /** The entries of this page. */
  items: Worker[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type WorkerRegistrationToken = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The name that people see. One line. */
  name: string;
  /** `local`: a person's own machine. `remote`: a server. `ephemeral`: exists for a short time. */
  kind: "local" | "remote" | "ephemeral";
  /** Labels of the workers that register with it. */
  labels: string[];
  /** The templates whose files its runs get, by id. */
  templateIds: string[];
  /** The connections whose tokens its runs may get, by id. */
  connectionIds: string[];
  /** LLM providers of the workers that register with it. */
  llmProviderIds: string[];
  /** The only MCP connections that runs on its workers can use. Empty: no limit. */
  mcpConnectionIds: string[];
  /** The member that workers act for. */
  ownerId: string;
  /** How many workers have registered with it. */
  uses: number;
  /** Null: any number of workers. */
  maxUses: number | null;
  /** Null: valid until it is removed. */
  expiresAt: number | null;
  /** The secrets that are valid now: two for a day after a rotation. */
  secrets: {
    /** The first characters, to recognize it. */
    start: string;
    /** When it expires, in milliseconds since 1970. Null when it never expires. */
    expiresAt: number | null;
    /** When it was created, in milliseconds since 1970. */
    createdAt: number;
  }[];
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type WorkerRegistrationTokenPage = {
  /** The entries of this page. */
  items: WorkerRegistrationToken[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type WorkerRollout = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The version. */
  version: string;
  /** The share of the workers. */
  percent: number;
  /** Only workers with all of these labels. */
  labels: string[];
  /** How long a worker has for its upgrade. */
  deadlineSeconds: number;
  /** How far it is. */
  counts: WorkerRolloutCounts;
  /** Null while it applies, also to workers that register later. */
  endedAt: number | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last changed, in milliseconds since 1970. */
  updatedAt: number;
};

export type WorkerRolloutCounts = {
  /** Workers with the labels. */
  matching: number;
  /** Workers that the rollout has asked to upgrade. */
  selected: number;
  /** Workers that run the version. */
  upgraded: number;
  /** Failed or timed out. */
  failed: number;
  /** Under way. */
  open: number;
};

export type WorkerRolloutPage = {
  /** The entries of this page. */
  items: WorkerRollout[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

export type WorkerRuntime = {
  /** The product version. Null before the first report. */
  version: string | null;
  /** The version of the worker API that it speaks. */
  apiVersion: number | null;
  /** The operating system and processor of the runner. */
  platform: string | null;
  /** The processor architecture. */
  arch: string | null;
  /** What it can do. */
  capabilities: string[];
  /** Such as `concurrency` and `memoryMb`. */
  limits: Record<string, number>;
  /** The health of what it depends on. */
  services: WorkerService[];
  /** The worst status of its services. */
  health: "unknown" | "healthy" | "degraded" | "failing";
  /** The configuration that it uses. */
  configurationRevision: number | null;
  /** The version it should run. Null: any. */
  desiredVersion: string | null;
  /** The configuration it should use. */
  desiredConfigurationRevision: number;
  /** It does not run the desired version, or not the desired configuration. */
  drift: boolean;
  /** Its API version compared with the server's: `current`, still `supported`, or `unsupported`. */
  skew: "unknown" | "current" | "supported" | "unsupported";
  /** Whether it runs what it should. */
  freshness: "unknown" | "current" | "drifted" | "unsupported";
  /** When it was reported, in milliseconds since 1970. */
  reportedAt: number | null;
};

export type WorkerService = {
  /** The name that people see. One line. */
  name: string;
  /** The current state. */
  status: "healthy" | "degraded" | "failing";
  /** What is wrong, for people. */
  message?: string;
};

export type WorkerTemplate = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** A short name for URLs: lower-case letters, digits and hyphens. */
  slug: string;
  /** The name that people see. One line. */
  name: string;
  /** The version. */
  version: number;
  /** The text of the template, in Markdown. */
  body: string;
};

export type WorkerToken = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The first letters of the token, to tell tokens apart. */
  start: string;
  /** Null: valid until it is rotated. */
  expiresAt: number | null;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
};

export type WorkerUpgrade = {
  /** The id. Ids of one kind have one prefix and sort by the time they were created. */
  id: string;
  /** The worker. */
  workerId: string;
  /** The rollout that requested it. Null: requested alone. */
  rolloutId: string | null;
  /** The version. */
  version: string;
  /** What the worker ran before. Null when it was not known. */
  fromVersion: string | null;
  /** `requested` → `acknowledged` → `draining` → `upgraded`, or another end. */
  state: "requested" | "acknowledged" | "draining" | "upgraded" | "failed" | "timed_out" | "cancelled";
  /** Why it failed, timed out or was cancelled. */
  reason: string | null;
  /** When it times out. */
  deadlineAt: number;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When the worker read it. Null: not yet. */
  acknowledgedAt: number | null;
  /** When the worker stopped taking runs for it. Null: not yet. */
  drainingAt: number | null;
  /** When it ended, in milliseconds since 1970. Null while it has not ended. */
  endedAt: number | null;
};

export type WorkerUpgradePage = {
  /** The entries of this page. */
  items: WorkerUpgrade[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
};

/** Every operation that replies with JSON or without a body. */
export interface Operations {
  /** Check that the process runs */
  "GET /health": {
    input: object;
    reply: {
      /** The current state. */
      status: "ok";
    };
  };
  /** Check that the instance can serve: database, migrations, jobs */
  "GET /ready": {
    input: object;
    reply: Readiness;
  };
  /** Read the version of the service */
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
  /** Read what a sign-in page needs to know */
  "GET /v1/instance": {
    input: object;
    reply: Instance;
  };
  /** Read the API description */
  "GET /openapi.json": {
    input: object;
    reply: Record<string, unknown>;
  };
  /** Create an account */
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
  /** Prove my identity again, for routes that need a fresh session */
  "POST /api/auth/reauthenticate": {
    input: {
      body: {
        /** The password, 8 to 128 characters. */
        password?: string;
        /** From the authenticator app, or a backup code. */
        code?: string;
        /** The result of `navigator.credentials.get()`, as its `toJSON()` returns it. */
        passkey?: PasskeySignIn;
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
        /** Also revokes every API key, MCP token and runner token of the person. By default they are kept. */
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
  /** List my sessions */
  "GET /v1/me/sessions": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: UserSessionPage;
  };
  /** Sign out a session at once */
  "DELETE /v1/me/sessions/{id}": {
    input: {
      path: {
        /** The session. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Sign out all other sessions */
  "POST /v1/me/sessions/end-others": {
    input: object;
    reply: {
      /** How many sessions were ended. */
      ended: number;
    };
  };
  /** Read whether my second factor is enabled, and how many backup codes are left */
  "GET /v1/me/two-factor": {
    input: object;
    reply: {
      /** The second factor. */
      twoFactor: TwoFactor;
    };
  };
  /** Start to set up a second factor */
  "POST /v1/me/two-factor": {
    input: object;
    reply: {
      /** The secret for the authenticator app. Shown once. */
      secret: string;
      /** For a QR code. */
      uri: string;
    };
  };
  /** Remove the authenticator app */
  "DELETE /v1/me/two-factor": {
    input: {
      body: {
        /** Six digits from the authenticator app, or one of the backup codes. */
        code: string;
      };
    };
    reply: undefined;
  };
  /** Enable the second factor, with a first code from the app */
  "POST /v1/me/two-factor/confirm": {
    input: {
      body: {
        /** Six digits from the authenticator app, or one of the backup codes. */
        code: string;
      };
    };
    reply: {
      /** Each code works once, for example when the device is lost. They are shown once: store them in a safe place. */
      backupCodes: string[];
    };
  };
  /** Get new backup codes; the old ones become invalid */
  "POST /v1/me/two-factor/backup-codes": {
    input: {
      body: {
        /** Six digits from the authenticator app, or one of the backup codes. */
        code?: string;
      };
    };
    reply: {
      /** Each code works once, for example when the device is lost. They are shown once: store them in a safe place. */
      backupCodes: string[];
    };
  };
  /** Sign in: second step */
  "POST /api/auth/sign-in/two-factor": {
    input: {
      body: {
        /** The token from the first step of the sign-in. */
        twoFactorToken: string;
        /** Six digits from the authenticator app, or one of the backup codes. */
        code: string;
      };
    };
    reply: SignedIn;
  };
  /** List my passkeys */
  "GET /v1/me/passkeys": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: PasskeyPage;
  };
  /** Add a passkey */
  "POST /v1/me/passkeys": {
    input: {
      body: {
        /** The name that people see. One line. */
        name?: string;
        /** The result of `navigator.credentials.create()`, as its `toJSON()` returns it. */
        credential: PasskeyRegistration;
      };
    };
    reply: {
      /** The passkey. */
      passkey: Passkey;
      /** Each works once, when the device is lost. Null when the account has backup codes already. */
      backupCodes: string[] | null;
    };
  };
  /** Begin to add a passkey */
  "POST /v1/me/passkeys/options": {
    input: object;
    reply: {
      /** For `PublicKeyCredential.parseCreationOptionsFromJSON()`. */
      options: PasskeyCreationOptions;
    };
  };
  /** Rename a passkey */
  "PATCH /v1/me/passkeys/{id}": {
    input: {
      path: {
        /** The passkey. */
        id: string;
      };
      body: {
        /** The name that people see. One line. */
        name: string;
      };
    };
    reply: {
      /** The passkey. */
      passkey: Passkey;
    };
  };
  /** Remove a passkey */
  "DELETE /v1/me/passkeys/{id}": {
    input: {
      path: {
        /** The passkey. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Begin to sign in with a passkey */
  "POST /api/auth/passkey/options": {
    input: {
      body: {
        /** From the first step, when the passkey is the second factor. */
        twoFactorToken?: string;
      };
    };
    reply: {
      /** For `PublicKeyCredential.parseRequestOptionsFromJSON()`. */
      options: PasskeyRequestOptions;
    };
  };
  /** Sign in with a passkey */
  "POST /api/auth/sign-in/passkey": {
    input: {
      body: {
        /** The result of `navigator.credentials.get()`, as its `toJSON()` returns it. */
        credential: PasskeySignIn;
        /** From the first step, when the passkey is the second factor. */
        twoFactorToken?: string;
      };
    };
    reply: SignedIn;
  };
  /** Read my account, my organization and my permissions */
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
        /** The e-mail address of the account, as a confirmation. */
        confirm: string;
        /** The slugs of the organizations that are deleted with the account. */
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
  /** Create an organization and become its owner */
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
  /** List the organizations I belong to */
  "GET /v1/organizations": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: OrganizationPage;
  };
  /** Read the active organization */
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
        /** The number of minutes after which members must sign in again. Null means no limit. */
        sessionMaxAgeMinutes?: number | null;
        /** Needs `sso:manage` and a fresh session. To turn it on, test a connector as yourself and name `breakGlassMemberId`. Keys and tokens of members who then can no longer sign in end. */
        requireSso?: boolean;
        /** An owner with a second factor. */
        breakGlassMemberId?: string;
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
        /** The slug of the organization, as a confirmation. */
        confirm: string;
      };
    };
    reply: undefined;
  };
  /** List the quotas of the organization, and their usage */
  "GET /v1/organization/quotas": {
    input: object;
    reply: Quotas;
  };
  /** Read runs and costs over time, with the period before */
  "GET /v1/overview/runs": {
    input: {
      query?: {
        /** The start of the period, in milliseconds since 1970. Default: the start of the day 29 days before `to`. */
        from?: number;
        /** The end of the period, in milliseconds since 1970. It is not included. Default: now. */
        to?: number;
        /** The time zone whose days and hours are counted, by its IANA name. */
        timeZone?: string;
        /** `hour` takes a period of at most 7 days. */
        interval?: "day" | "hour";
      };
    };
    reply: OverviewRuns;
  };
  /** Count what the organization has and does now */
  "GET /v1/overview/counts": {
    input: object;
    reply: {
      /** The counts. */
      counts: OverviewCounts;
    };
  };
  /** List what needs care, worst first */
  "GET /v1/overview/attention": {
    input: object;
    reply: Attention;
  };
  /** List what happened lately, newest first */
  "GET /v1/overview/recent": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** Only changes, or only runs. Default: both. */
        type?: "change" | "run";
      };
    };
    reply: RecentItems;
  };
  /** Read which first steps are done */
  "GET /v1/overview/checklist": {
    input: object;
    reply: Checklist;
  };
  /** Create a workspace for an agent that has no account */
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
  /** Create a new claim link for a provisional workspace */
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
        /** Revokes the key of the agent, and runner tokens that were created with it. By default the key is kept. */
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
  /** List the invitations of the organization */
  "GET /v1/invitations": {
    input: {
      query?: {
        /** The maximum number of items to return. */
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
      /** Shown once, to deliver the invitation yourself. */
      token: string;
    };
  };
  /** Preview an invitation by its token */
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
  /** Cancel an invitation */
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
      /** Shown once, to deliver the invitation yourself. */
      token: string;
    };
  };
  /** List the members of the organization */
  "GET /v1/members": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** Part of a name or an e-mail address, in any case. */
        search?: string;
        /** Only members with this role. */
        role?: string;
        /** Only members of this team. */
        teamId?: string;
        /** Only active or only deactivated members. */
        status?: "active" | "deactivated";
      };
    };
    reply: MemberPage;
  };
  /** Read a member */
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
  /** Deactivate a member */
  "POST /v1/members/{id}/deactivate": {
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
  /** Reactivate a member */
  "POST /v1/members/{id}/reactivate": {
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
  /** Leave the active organization */
  "POST /v1/organization/leave": {
    input: object;
    reply: undefined;
  };
  /** Transfer my ownership to another member */
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
  /** List all permissions, and the built-in roles that have them */
  "GET /v1/permissions": {
    input: object;
    reply: Permissions;
  };
  /** List roles: custom roles, newest first, then the built-in ones */
  "GET /v1/roles": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: RolePage;
  };
  /** Create a role */
  "POST /v1/roles": {
    input: {
      body: {
        /** The name of the role. */
        name: string;
        /** What the role is for. */
        description?: string;
        /** The names of its permissions. */
        permissions: ("organization:read" | "organization:update" | "organization:delete" | "members:read" | "members:invite" | "members:manage" | "roles:manage" | "teams:manage" | "api_keys:create" | "api_keys:manage" | "mcp_tokens:create" | "automations:create" | "automations:manage" | "usage:read" | "audit:read" | "audit:manage" | "connectors:read" | "connectors:manage" | "templates:read" | "templates:manage" | "connections:use" | "connections:manage" | "oauth_clients:manage" | "llm_providers:use" | "llm_providers:manage" | "notifications:manage" | "telemetry:report" | "telemetry:read" | "telemetry:manage" | "scim:read" | "scim:manage" | "sso:read" | "sso:manage" | "workers:read" | "workers:manage" | "mcp_connections:use" | "mcp_connections:manage" | "mcp:discover")[];
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
        permissions?: ("organization:read" | "organization:update" | "organization:delete" | "members:read" | "members:invite" | "members:manage" | "roles:manage" | "teams:manage" | "api_keys:create" | "api_keys:manage" | "mcp_tokens:create" | "automations:create" | "automations:manage" | "usage:read" | "audit:read" | "audit:manage" | "connectors:read" | "connectors:manage" | "templates:read" | "templates:manage" | "connections:use" | "connections:manage" | "oauth_clients:manage" | "llm_providers:use" | "llm_providers:manage" | "notifications:manage" | "telemetry:report" | "telemetry:read" | "telemetry:manage" | "scim:read" | "scim:manage" | "sso:read" | "sso:manage" | "workers:read" | "workers:manage" | "mcp_connections:use" | "mcp_connections:manage" | "mcp:discover")[];
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
  /** List the teams of the organization */
  "GET /v1/teams": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: TeamPage;
  };
  /** Create a team */
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
  /** Read a team */
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
  /** Add a member to a team */
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
  /** Remove a member from a team */
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
  /** How people with this e-mail address sign in */
  "GET /v1/sso/resolve": {
    input: {
      query: {
        /** An e-mail address. */
        email: string;
      };
    };
    reply: SsoResolution;
  };
  /** Link my account to the person I signed in as at the provider */
  "POST /v1/sso/link": {
    input: {
      body: {
        /** The secret token from the link or the reply. */
        token: string;
      };
    };
    reply: {
      /** The page to open next. */
      returnTo: string | null;
    };
  };
  /** Confirm or cancel a sign-in */
  "POST /v1/sso/confirm": {
    input: {
      body: {
        /** The secret token from the link or the reply. */
        token: string;
        /** Whether to sign in or to drop the sign-in. */
        answer: "sign_in" | "cancel";
      };
    };
    reply: {
      /** The page to open next. */
      location: string;
    };
  };
  /** Test a sign-in without signing anybody in */
  "POST /v1/sso/{id}/test": {
    input: {
      path: {
        /** The single sign-on connector. */
        id: string;
      };
    };
    reply: {
      /** The address to open in a browser. */
      startUrl: string;
      /** When it expires, in milliseconds since 1970. Null when it never expires. */
      expiresAt: number;
    };
  };
  /** List the domains of the organization */
  "GET /v1/sso/domains": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: SsoDomainPage;
  };
  /** Add a domain of the organization */
  "POST /v1/sso/domains": {
    input: {
      body: {
        /** The domain. */
        domain: string;
      };
    };
    reply: {
      /** The domain. */
      domain: SsoDomain;
    };
  };
  /** Look for the TXT record of a domain */
  "POST /v1/sso/domains/{id}/verify": {
    input: {
      path: {
        /** The domain. */
        id: string;
      };
    };
    reply: {
      /** The domain. */
      domain: SsoDomain;
    };
  };
  /** Release a domain */
  "DELETE /v1/sso/domains/{id}": {
    input: {
      path: {
        /** The domain. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Set up single sign-on with SAML 2.0 */
  "POST /v1/sso/saml": {
    input: {
      body: {
        /** The name that people see. One line. */
        name: string;
        /** Where the provider publishes its metadata. It is read again every six hours. */
        metadataUrl?: string;
        /** The metadata of the identity provider, as XML. */
        metadataXml?: string;
        /** Which provider is meant, if the metadata describes several. */
        providerEntityId?: string;
        /** How requests are sent. Null: by redirect if the provider offers it. */
        binding?: "redirect" | "post" | null;
        /** Default `either`: the response or the assertion must be signed. */
        requireSigned?: "either" | "assertion" | "response" | "both";
        /** The attribute that identifies a person and never changes. Needed if the NameID is transient. */
        subjectAttribute?: string | null;
        /** The format of NameID that requests ask for. Null: any. */
        nameIdFormat?: string | null;
        /** Default true. */
        allowsProviderStart?: boolean;
        /** Which attributes hold address, name and groups. Null: the usual names. */
        attributes?: {
          /** The attribute that holds the e-mail address. */
          email?: string | null;
          /** The attribute that holds the name. */
          name?: string | null;
          /** The attribute that holds the groups. */
          groups?: string | null;
        };
        /** Default `member`. Never `owner`. */
        defaultRole?: string;
        /** Applied at each sign-in. Roles and teams that came from a mapping end with the group; those that people gave stay. */
        groupMappings?: SsoGroupMapping[];
        /** Default true. */
        createsMembers?: boolean;
      };
    };
    reply: {
      /** The connector. */
      connector: SsoConnector;
    };
  };
  /** The state of the provider's SAML metadata */
  "GET /v1/sso/{id}/metadata": {
    input: {
      path: {
        /** The single sign-on connector. */
        id: string;
      };
    };
    reply: {
      /** The state of the provider's metadata. */
      metadata: SsoMetadata;
    };
  };
  /** Read the provider's SAML metadata again */
  "POST /v1/sso/{id}/metadata/refresh": {
    input: {
      path: {
        /** The single sign-on connector. */
        id: string;
      };
      body?: {
        /** The metadata of the identity provider, as XML. */
        metadataXml?: string;
      };
    };
    reply: {
      /** The state of the provider's metadata. */
      metadata: SsoMetadata;
    };
  };
  /** Approve a change of the provider's SAML metadata */
  "POST /v1/sso/{id}/metadata/approve": {
    input: {
      path: {
        /** The single sign-on connector. */
        id: string;
      };
      body?: {
        /** Approve only this change, not a newer one. */
        changeId?: string;
      };
    };
    reply: {
      /** The connector. */
      connector: SsoConnector;
    };
  };
  /** Give a SAML connector a new key and certificate */
  "POST /v1/sso/{id}/saml/certificate": {
    input: {
      path: {
        /** The single sign-on connector. */
        id: string;
      };
    };
    reply: {
      /** The connector. */
      connector: SsoConnector;
    };
  };
  /** The organization's single sign-on connectors */
  "GET /v1/sso": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: SsoConnectorPage;
  };
  /** Set up single sign-on with OpenID Connect */
  "POST /v1/sso/oidc": {
    input: {
      body: {
        /** The name that people see. One line. */
        name: string;
        /** The issuer, exactly as the provider's metadata names it. */
        issuer: string;
        /** For a provider without metadata. */
        endpoints?: SsoEndpoints;
        /** The client id that the provider gave. */
        clientId: string;
        /** Left out: a public client, protected by PKCE alone. */
        clientSecret?: string;
        /** How the client authenticates at the token endpoint. */
        tokenEndpointAuthMethod?: "client_secret_basic" | "client_secret_post" | "none";
        /** `openid` is always asked for. Default: `openid`, `email`, `profile`. */
        scopes?: string[];
        /** The names of the claims that contain the address, the name and the groups. */
        claims?: {
          /** The claim that holds the e-mail address. */
          email?: string;
          /** The claim that holds the name. */
          name?: string;
          /** The claim that holds the groups. */
          groups?: string;
        };
        /** Default `member`. Never `owner`. */
        defaultRole?: string;
        /** Applied at each sign-in. Roles and teams that came from a mapping end with the group; those that people gave stay. */
        groupMappings?: SsoGroupMapping[];
        /** Default true. */
        createsMembers?: boolean;
      };
    };
    reply: {
      /** The connector. */
      connector: SsoConnector;
    };
  };
  /** One single sign-on connector */
  "GET /v1/sso/{id}": {
    input: {
      path: {
        /** The single sign-on connector. */
        id: string;
      };
    };
    reply: {
      /** The connector. */
      connector: SsoConnector;
    };
  };
  /** Change a single sign-on connector */
  "PATCH /v1/sso/{id}": {
    input: {
      path: {
        /** The single sign-on connector. */
        id: string;
      };
      body: {
        /** The name that people see. One line. */
        name?: string;
        /** Whether it is enabled. */
        enabled?: boolean;
        /** Endpoints, for a provider without metadata. Null: the metadata of the issuer tells them. */
        endpoints?: SsoEndpoints | null;
        /** The client id that the provider gave. */
        clientId?: string;
        /** Replaces the secret at once. */
        clientSecret?: string;
        /** How the client authenticates at the token endpoint. */
        tokenEndpointAuthMethod?: "client_secret_basic" | "client_secret_post" | "none" | null;
        /** `openid` is always asked for. Default: `openid`, `email`, `profile`. */
        scopes?: string[];
        /** The names of the claims that contain the address, the name and the groups. */
        claims?: {
          /** The claim that holds the e-mail address. */
          email?: string;
          /** The claim that holds the name. */
          name?: string;
          /** The claim that holds the groups. */
          groups?: string;
        };
        /** How requests are sent. Null: by redirect if the provider offers it. */
        binding?: "redirect" | "post" | null;
        /** Default `either`: the response or the assertion must be signed. */
        requireSigned?: "either" | "assertion" | "response" | "both";
        /** The attribute that identifies a person and never changes. Needed if the NameID is transient. */
        subjectAttribute?: string | null;
        /** The format of NameID that requests ask for. Null: any. */
        nameIdFormat?: string | null;
        /** Default true. */
        allowsProviderStart?: boolean;
        /** Which attributes hold address, name and groups. Null: the usual names. */
        attributes?: {
          /** The attribute that holds the e-mail address. */
          email?: string | null;
          /** The attribute that holds the name. */
          name?: string | null;
          /** The attribute that holds the groups. */
          groups?: string | null;
        };
        /** Default `member`. Never `owner`. */
        defaultRole?: string;
        /** Applied at each sign-in. Roles and teams that came from a mapping end with the group; those that people gave stay. */
        groupMappings?: SsoGroupMapping[];
        /** Default true. */
        createsMembers?: boolean;
      };
    };
    reply: {
      /** The connector. */
      connector: SsoConnector;
    };
  };
  /** Remove a single sign-on connector */
  "DELETE /v1/sso/{id}": {
    input: {
      path: {
        /** The single sign-on connector. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Give an OpenID Connect connector a new client secret */
  "POST /v1/sso/{id}/client-secret": {
    input: {
      path: {
        /** The single sign-on connector. */
        id: string;
      };
      body: {
        /** The client secret. It is never shown again. */
        clientSecret: string;
      };
    };
    reply: {
      /** The connector. */
      connector: SsoConnector;
    };
  };
  /** List the last sign-ins of a connector */
  "GET /v1/sso/{id}/events": {
    input: {
      path: {
        /** The single sign-on connector. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: SsoEventPage;
  };
  /** List the people who are linked to the provider */
  "GET /v1/sso/{id}/identities": {
    input: {
      path: {
        /** The single sign-on connector. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: SsoIdentityPage;
  };
  /** Remove the link of a person at the provider */
  "DELETE /v1/sso/{id}/identities/{identityId}": {
    input: {
      path: {
        /** The single sign-on connector. */
        id: string;
        /** The link to a person. */
        identityId: string;
      };
    };
    reply: undefined;
  };
  /** The directory that manages the organization */
  "GET /v1/scim": {
    input: object;
    reply: {
      /** The connector. Null when there is none. */
      connector: ScimConnector | null;
      /** The address to enter in the directory. */
      baseUrl: string;
    };
  };
  /** Change the connector */
  "PATCH /v1/scim": {
    input: {
      body: {
        /** The name that people see. One line. */
        name?: string;
        /** Whether it is enabled. */
        enabled?: boolean;
        /** The role of members without a mapped role. Never `owner`. */
        defaultRole?: string;
        /** What the groups of the provider give. */
        groupMappings?: ScimGroupMapping[];
      };
    };
    reply: {
      /** The connector. */
      connector: ScimConnector;
      /** The address to enter in the directory. */
      baseUrl: string;
    };
  };
  /** Remove the connector */
  "DELETE /v1/scim": {
    input: object;
    reply: undefined;
  };
  /** Connect a directory, or rotate its token */
  "POST /v1/scim/token": {
    input: {
      body?: {
        /** What people call the directory. */
        name?: string;
        /** Ends earlier tokens at once, for a token that somebody else may know. */
        endEarlierTokens?: boolean;
      };
    };
    reply: {
      /** The connector. */
      connector: ScimConnector;
      /** The token, shown once. */
      token: string;
      /** The address to enter in the directory. */
      baseUrl: string;
    };
  };
  /** The latest calls of the directory */
  "GET /v1/scim/calls": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: ScimCallPage;
  };
  /** What the service supports */
  "GET /scim/v2/ServiceProviderConfig": {
    input: object;
    reply: ScimResource;
  };
  /** The kinds of resources */
  "GET /scim/v2/ResourceTypes": {
    input: object;
    reply: ScimListResponse;
  };
  /** One kind of resource */
  "GET /scim/v2/ResourceTypes/{id}": {
    input: {
      path: {
        /** The kind. */
        id: string;
      };
    };
    reply: ScimResource;
  };
  /** The attributes that are kept */
  "GET /scim/v2/Schemas": {
    input: object;
    reply: ScimListResponse;
  };
  /** One schema */
  "GET /scim/v2/Schemas/{id}": {
    input: {
      path: {
        /** The schema. */
        id: string;
      };
    };
    reply: ScimResource;
  };
  /** Bulk requests are not supported */
  "POST /scim/v2/Bulk": {
    input: object;
    reply: undefined;
  };
  /** A search in all kinds at once is not supported */
  "POST /scim/v2/.search": {
    input: object;
    reply: undefined;
  };
  /** `/Me` is not supported */
  "GET /scim/v2/Me": {
    input: object;
    reply: undefined;
  };
  /** `/Me` is not supported */
  "POST /scim/v2/Me": {
    input: object;
    reply: undefined;
  };
  /** `/Me` is not supported */
  "PUT /scim/v2/Me": {
    input: object;
    reply: undefined;
  };
  /** `/Me` is not supported */
  "PATCH /scim/v2/Me": {
    input: object;
    reply: undefined;
  };
  /** `/Me` is not supported */
  "DELETE /scim/v2/Me": {
    input: object;
    reply: undefined;
  };
  /** Create a user */
  "POST /scim/v2/Users": {
    input: {
      query?: {
        /** The attributes to return, separated by commas. */
        attributes?: string;
        /** The attributes to omit, separated by commas. */
        excludedAttributes?: string;
      };
      body: ScimResourceBody;
    };
    reply: ScimResource;
  };
  /** Find users */
  "GET /scim/v2/Users": {
    input: {
      query?: {
        /** The attributes to return, separated by commas. */
        attributes?: string;
        /** The attributes to omit, separated by commas. */
        excludedAttributes?: string;
        /** Selects resources, as in RFC 7644, 3.4.2.2. */
        filter?: string;
        /** The attribute that decides the order. */
        sortBy?: string;
        /** `ascending` or `descending`. */
        sortOrder?: string;
        /** The number of the first result, from 1. */
        startIndex?: string;
        /** The maximum number of resources in the reply. */
        count?: string;
        /** `nextCursor` of the page before (RFC 9865). Empty for the first page. */
        cursor?: string;
      };
    };
    reply: ScimListResponse;
  };
  /** Find users, with the filter in the body */
  "POST /scim/v2/Users/.search": {
    input: {
      body: ScimSearchRequest;
    };
    reply: ScimListResponse;
  };
  /** One user */
  "GET /scim/v2/Users/{id}": {
    input: {
      path: {
        /** The user. */
        id: string;
      };
      query?: {
        /** The attributes to return, separated by commas. */
        attributes?: string;
        /** The attributes to omit, separated by commas. */
        excludedAttributes?: string;
      };
    };
    reply: ScimResource;
  };
  /** Replace a user */
  "PUT /scim/v2/Users/{id}": {
    input: {
      path: {
        /** The user. */
        id: string;
      };
      query?: {
        /** The attributes to return, separated by commas. */
        attributes?: string;
        /** The attributes to omit, separated by commas. */
        excludedAttributes?: string;
      };
      body: ScimResourceBody;
    };
    reply: ScimResource;
  };
  /** Change attributes of a user */
  "PATCH /scim/v2/Users/{id}": {
    input: {
      path: {
        /** The user. */
        id: string;
      };
      query?: {
        /** The attributes to return, separated by commas. */
        attributes?: string;
        /** The attributes to omit, separated by commas. */
        excludedAttributes?: string;
      };
      body: ScimPatchBody;
    };
    reply: ScimResource;
  };
  /** Remove a user */
  "DELETE /scim/v2/Users/{id}": {
    input: {
      path: {
        /** The user. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Create a group */
  "POST /scim/v2/Groups": {
    input: {
      query?: {
        /** The attributes to return, separated by commas. */
        attributes?: string;
        /** The attributes to omit, separated by commas. */
        excludedAttributes?: string;
      };
      body: ScimResourceBody;
    };
    reply: ScimResource;
  };
  /** Find groups */
  "GET /scim/v2/Groups": {
    input: {
      query?: {
        /** The attributes to return, separated by commas. */
        attributes?: string;
        /** The attributes to omit, separated by commas. */
        excludedAttributes?: string;
        /** Selects resources, as in RFC 7644, 3.4.2.2. */
        filter?: string;
        /** The attribute that decides the order. */
        sortBy?: string;
        /** `ascending` or `descending`. */
        sortOrder?: string;
        /** The number of the first result, from 1. */
        startIndex?: string;
        /** The maximum number of resources in the reply. */
        count?: string;
        /** `nextCursor` of the page before (RFC 9865). Empty for the first page. */
        cursor?: string;
      };
    };
    reply: ScimListResponse;
  };
  /** Find groups, with the filter in the body */
  "POST /scim/v2/Groups/.search": {
    input: {
      body: ScimSearchRequest;
    };
    reply: ScimListResponse;
  };
  /** One group */
  "GET /scim/v2/Groups/{id}": {
    input: {
      path: {
        /** The group. */
        id: string;
      };
      query?: {
        /** The attributes to return, separated by commas. */
        attributes?: string;
        /** The attributes to omit, separated by commas. */
        excludedAttributes?: string;
      };
    };
    reply: ScimResource;
  };
  /** Replace a group */
  "PUT /scim/v2/Groups/{id}": {
    input: {
      path: {
        /** The group. */
        id: string;
      };
      query?: {
        /** The attributes to return, separated by commas. */
        attributes?: string;
        /** The attributes to omit, separated by commas. */
        excludedAttributes?: string;
      };
      body: ScimResourceBody;
    };
    reply: ScimResource;
  };
  /** Change attributes of a group */
  "PATCH /scim/v2/Groups/{id}": {
    input: {
      path: {
        /** The group. */
        id: string;
      };
      query?: {
        /** The attributes to return, separated by commas. */
        attributes?: string;
        /** The attributes to omit, separated by commas. */
        excludedAttributes?: string;
      };
      body: ScimPatchBody;
    };
    reply: ScimResource;
  };
  /** Remove a group */
  "DELETE /scim/v2/Groups/{id}": {
    input: {
      path: {
        /** The group. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** List my API keys; with `api_keys:manage` those of every member */
  "GET /v1/api-keys": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: ApiKeyPage;
  };
  /** Create an API key for myself in the active organization */
  "POST /v1/api-keys": {
    input: {
      body: {
        /** The name of the key. */
        name: string;
        /** Milliseconds since 1970. When omitted, it does not expire. */
        expiresAt?: number;
        /** The names of its permissions. */
        permissions?: ("organization:read" | "organization:update" | "organization:delete" | "members:read" | "members:invite" | "members:manage" | "roles:manage" | "teams:manage" | "api_keys:create" | "api_keys:manage" | "mcp_tokens:create" | "automations:create" | "automations:manage" | "usage:read" | "audit:read" | "audit:manage" | "connectors:read" | "connectors:manage" | "templates:read" | "templates:manage" | "connections:use" | "connections:manage" | "oauth_clients:manage" | "llm_providers:use" | "llm_providers:manage" | "notifications:manage" | "telemetry:report" | "telemetry:read" | "telemetry:manage" | "scim:read" | "scim:manage" | "sso:read" | "sso:manage" | "workers:read" | "workers:manage" | "mcp_connections:use" | "mcp_connections:manage" | "mcp:discover")[];
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
      body?: {
        /** With 0, the old key ends at once. */
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
  /** Revoke an API key at once */
  "DELETE /v1/api-keys/{id}": {
    input: {
      path: {
        /** The API key. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Create a token for an MCP client, for myself in the active organization */
  "POST /v1/mcp/token": {
    input: {
      body?: {
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
  /** List my MCP tokens; with `api_keys:manage` those of every member */
  "GET /v1/mcp/tokens": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: McpTokenPage;
  };
  /** Revoke an MCP token at once */
  "DELETE /v1/mcp/tokens/{id}": {
    input: {
      path: {
        /** The MCP token. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** List the MCP clients I connected; with `api_keys:manage` those of every member */
  "GET /v1/mcp/clients": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: McpClientPage;
  };
  /** End the access of an MCP client at once */
  "DELETE /v1/mcp/clients/{id}": {
    input: {
      path: {
        /** The connected client. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Read the metadata of the authorization server (RFC 8414) */
  "GET /.well-known/oauth-authorization-server": {
    input: object;
    reply: OauthServerMetadata;
  };
  /** Read the metadata of the MCP endpoint (RFC 9728) */
  "GET /.well-known/oauth-protected-resource/mcp": {
    input: object;
    reply: OauthResourceMetadata;
  };
  /** Read the metadata of the MCP endpoint, for clients that ask at the root */
  "GET /.well-known/oauth-protected-resource": {
    input: object;
    reply: OauthResourceMetadata;
  };
  /** Exchange a code or a refresh token for an access token */
  "POST /oauth/token": {
    input: object;
    reply: OauthToken;
  };
  /** End the connection of an MCP client, by the client itself (RFC 7009) */
  "POST /oauth/revoke": {
    input: object;
    reply: string;
  };
  /** Register an MCP client (RFC 7591) */
  "POST /oauth/register": {
    input: {
      body: Record<string, unknown>;
    };
    reply: OauthRegistration;
  };
  /** Allow the MCP client, for myself in the organization that the request names */
  "POST /oauth/consent/{uid}": {
    input: {
      path: {
        /** The sign-in in progress. */
        uid: string;
      };
      body: {
        /** What the client may do, of what it asks for. */
        scopes: ("mcp:read" | "mcp:write")[];
      };
    };
    reply: McpConsent;
  };
  /** Refuse the MCP client */
  "POST /oauth/consent/{uid}/deny": {
    input: {
      path: {
        /** The sign-in in progress. */
        uid: string;
      };
    };
    reply: McpConsent;
  };
  /** Read the catalogue of providers, models and prices */
  "GET /v1/llm-provider-catalog": {
    input: {
      query?: {
        /** List the models of this kind of provider. */
        kind?: "anthropic" | "openai" | "google" | "vertex" | "azure" | "bedrock" | "mistral" | "groq" | "together" | "fireworks" | "deepseek" | "xai" | "cohere" | "perplexity" | "openrouter" | "ollama" | "vllm" | "openai_compatible";
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the previous page. Omit it for the first page. */
        cursor?: string;
      };
    };
    reply: LlmProviderCatalogPage;
  };
  /** List LLM providers */
  "GET /v1/llm-providers": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: LlmProviderPage;
  };
  /** Add an LLM provider */
  "POST /v1/llm-providers": {
    input: {
      body: {
        /** Which kind it is. */
        kind: "anthropic" | "openai" | "google" | "vertex" | "azure" | "bedrock" | "mistral" | "groq" | "together" | "fireworks" | "deepseek" | "xai" | "cohere" | "perplexity" | "openrouter" | "ollama" | "vllm" | "openai_compatible";
        /** The name that people see. One line. */
        name: string;
        /** Needed for kinds without a fixed address. It must be https, or a loopback address. */
        baseUrl?: string;
        /** The API key, without its secret. */
        apiKey?: string;
        /** The only models that may be used. Null: all models. */
        models?: string[] | null;
      };
    };
    reply: {
      /** The LLM provider, without its keys. */
      llmProvider: LlmProvider;
    };
  };
  /** Read an LLM provider */
  "GET /v1/llm-providers/{id}": {
    input: {
      path: {
        /** The LLM provider. */
        id: string;
      };
    };
    reply: {
      /** The LLM provider, without its keys. */
      llmProvider: LlmProvider;
    };
  };
  /** Change an LLM provider */
  "PATCH /v1/llm-providers/{id}": {
    input: {
      path: {
        /** The LLM provider. */
        id: string;
      };
      body: {
        /** The name that people see. One line. */
        name?: string;
        /** The address of the code host. Null for the public one of its kind. */
        baseUrl?: string;
        /** The only models that may be used. Null: all models. */
        models?: string[] | null;
        /** Whether it is enabled. */
        enabled?: boolean;
      };
    };
    reply: {
      /** The LLM provider, without its keys. */
      llmProvider: LlmProvider;
    };
  };
  /** Remove an LLM provider and its keys */
  "DELETE /v1/llm-providers/{id}": {
    input: {
      path: {
        /** The LLM provider. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Read who may use an LLM provider */
  "GET /v1/llm-providers/{id}/access": {
    input: {
      path: {
        /** The LLM provider. */
        id: string;
      };
    };
    reply: {
      /** How the repository is read. */
      access: LlmProviderAccess;
    };
  };
  /** Say who may use an LLM provider */
  "PUT /v1/llm-providers/{id}/access": {
    input: {
      path: {
        /** The LLM provider. */
        id: string;
      };
      body: {
        /** The organization. */
        organization?: boolean;
        /** Teams, by id. */
        teamIds?: string[];
        /** Members, by id. */
        memberIds?: string[];
        /** The only models that anybody may use. Null: all models. */
        models?: string[] | null;
        /** The only models for a team, a member, or the organization as a whole, by its id. */
        modelsBySubject?: Record<string, string[]>;
      };
    };
    reply: {
      /** How the repository is read. */
      access: LlmProviderAccess;
    };
  };
  /** Get the credential of an LLM provider, for an agent */
  "GET /v1/llm-providers/{id}/credential": {
    input: {
      path: {
        /** The LLM provider. */
        id: string;
      };
      query?: {
        /** The model that will be used. Required when the models are limited. */
        model?: string;
      };
    };
    reply: LlmCredential;
  };
  /** Test a key of a provider without cost */
  "POST /v1/llm-providers/{id}/test": {
    input: {
      path: {
        /** The LLM provider. */
        id: string;
      };
      body?: {
        /** The id of the signing key. */
        keyId?: string;
        /** The model to use. Null when the runner chooses. */
        model?: string;
      };
    };
    reply: LlmProviderTest;
  };
  /** List the keys of a provider */
  "GET /v1/llm-providers/{id}/keys": {
    input: {
      path: {
        /** The LLM provider. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: LlmProviderKeyPage;
  };
  /** Add a key to a provider */
  "POST /v1/llm-providers/{id}/keys": {
    input: {
      path: {
        /** The LLM provider. */
        id: string;
      };
      body: {
        /** The name that people see. One line. */
        name?: string;
        /** The API key, without its secret. */
        apiKey: string;
      };
    };
    reply: {
      /** The API key. It is shown once. */
      key: LlmProviderKey;
    };
  };
  /** Replace a key by a new one */
  "POST /v1/llm-providers/{id}/keys/{keyId}/rotate": {
    input: {
      path: {
        /** The LLM provider. */
        id: string;
        /** The key. */
        keyId: string;
      };
      body: {
        /** The API key, without its secret. */
        apiKey: string;
        /** How long the old key is kept: a day by default, 30 days at most. With 0 it is deleted at once. */
        overlapSeconds?: number;
      };
    };
    reply: {
      /** The API key. It is shown once. */
      key: LlmProviderKey;
      /** The key that it replaces, and when that key expires. */
      previous: LlmProviderKey | null;
    };
  };
  /** Stop handing out a key at once */
  "POST /v1/llm-providers/{id}/keys/{keyId}/disable": {
    input: {
      path: {
        /** The LLM provider. */
        id: string;
        /** The key. */
        keyId: string;
      };
    };
    reply: {
      /** The API key. It is shown once. */
      key: LlmProviderKey;
    };
  };
  /** Hand out a disabled key again */
  "POST /v1/llm-providers/{id}/keys/{keyId}/enable": {
    input: {
      path: {
        /** The LLM provider. */
        id: string;
        /** The key. */
        keyId: string;
      };
    };
    reply: {
      /** The API key. It is shown once. */
      key: LlmProviderKey;
    };
  };
  /** Delete a key */
  "DELETE /v1/llm-providers/{id}/keys/{keyId}": {
    input: {
      path: {
        /** The LLM provider. */
        id: string;
        /** The key. */
        keyId: string;
      };
    };
    reply: undefined;
  };
  /** List the organization's own prices */
  "GET /v1/llm-prices": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: LlmPricePage;
  };
  /** Set a price from a time on */
  "PUT /v1/llm-prices": {
    input: {
      body: {
        /** The provider. */
        provider: string;
        /** The model to use. Null when the runner chooses. */
        model: string;
        /** From when the price is valid. */
        validFrom: number;
        /** Micro-units per million tokens. */
        rates: {
          /** Micro-units per million input tokens. */
          input?: number;
          /** Micro-units per million output tokens. */
          output?: number;
          /** Reads from a cache. Omitted: they cost as much as other input. */
          cacheRead?: number;
          /** Writes to a cache. Omitted: they cost as much as other input. */
          cacheWrite?: number;
          /** Writes to a cache that lasts an hour. Omitted: as other writes. */
          cacheWrite1h?: number;
          /** Micro-units per thousand requests, in addition to tokens. */
          request?: number;
        };
        /** Where the price comes from, for people. */
        note?: string;
      };
    };
    reply: {
      /** The price. */
      price: LlmPrice;
      /** True when costs since `validFrom` are computed again in the background. */
      recomputing: boolean;
    };
  };
  /** Remove a price */
  "DELETE /v1/llm-prices/{id}": {
    input: {
      path: {
        /** The price. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Compute costs again with the current prices */
  "POST /v1/llm-prices/recompute": {
    input: {
      body: {
        /** Reports since this time. */
        fromAt: number;
      };
    };
    reply: {
      /** The work has been queued. */
      recomputing: true;
    };
  };
  /** List budgets and alerts, with what is spent */
  "GET /v1/llm-budgets": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: LlmBudgetPage;
  };
  /** Set a budget or an alert */
  "POST /v1/llm-budgets": {
    input: {
      body: {
        /** The id of the account at the provider. */
        subject: {
          /** Which kind it is. */
          kind: "organization" | "team" | "member" | "provider";
          /** Omitted for the organization. */
          id?: string;
        };
        /** A calendar day, week or month in UTC. A week begins on Monday. */
        period: "day" | "week" | "month";
        /** `budget` refuses once it is spent. `alert` only notifies. */
        mode?: "budget" | "alert";
        /** Millionths of a dollar. */
        limitMicros: number;
        /** The share of the limit at which people are notified. */
        warningPercent?: number;
      };
    };
    reply: {
      /** The budget, and how much of it is spent. */
      budget: LlmBudget;
    };
  };
  /** Read a budget or an alert, with what is spent */
  "GET /v1/llm-budgets/{id}": {
    input: {
      path: {
        /** The budget or alert. */
        id: string;
      };
    };
    reply: {
      /** The budget, and how much of it is spent. */
      budget: LlmBudget;
    };
  };
  /** Change a budget or an alert */
  "PATCH /v1/llm-budgets/{id}": {
    input: {
      path: {
        /** The budget or alert. */
        id: string;
      };
      body: {
        /** `budget` refuses once it is spent. `alert` only notifies. */
        mode?: "budget" | "alert";
        /** Millionths of a dollar. */
        limitMicros?: number;
        /** The share of the limit at which people are notified. */
        warningPercent?: number;
      };
    };
    reply: {
      /** The budget, and how much of it is spent. */
      budget: LlmBudget;
    };
  };
  /** Remove a budget or an alert */
  "DELETE /v1/llm-budgets/{id}": {
    input: {
      path: {
        /** The budget or alert. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** List my automations; with `automations:manage` those of every member */
  "GET /v1/automations": {
    input: {
      query?: {
        /** The maximum number of items to return. */
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
  /** Create an automation of my own */
  "POST /v1/automations": {
    input: {
      body: {
        /** The name of the automation. */
        name: string;
        /** The instructions for the agent. */
        instructions: string;
        /** The schedule of an automation. */
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
  /** Read an automation */
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
  /** Change an automation; this creates a revision */
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
        /** The schedule of an automation. */
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
        /** The current revision or version. When it has changed meanwhile, the request is refused. */
        expectedRevision?: number;
        /** The new owner of the automation. Needs `automations:manage`. */
        memberId?: string;
      };
    };
    reply: {
      /** The automation. */
      automation: Automation;
    };
  };
  /** Activate the schedule of an automation */
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
  /** Deactivate the schedule of an automation; it can still be run by hand */
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
  /** Archive an automation permanently */
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
  /** Run an automation now */
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
  /** Retry a run */
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
  /** List the revisions of an automation, newest first */
  "GET /v1/automations/{id}/revisions": {
    input: {
      path: {
        /** The automation. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: AutomationRevisionPage;
  };
  /** Preview the next occurrences of a schedule */
  "POST /v1/automation-schedules/preview": {
    input: {
      body: {
        /** The schedule of an automation. */
        schedule: AutomationScheduleInput;
        /** How many occurrences to return. */
        count?: number;
        /** The time to start from. When omitted: now. */
        after?: number;
      };
    };
    reply: {
      /** The next times at which it is due. */
      occurrences: {
        /** When it happened, in milliseconds since 1970. */
        at: number;
        /** The same time, as local time in the time zone. */
        local: string;
      }[];
    };
  };
  /** Read the retention and budgets of runs */
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
        /** The highest cost of one run. Null means no limit. */
        runBudgetMicros?: number | null;
        /** The highest cost of all runs in a calendar month in UTC. Null means no limit. */
        monthlyBudgetMicros?: number | null;
        /** The highest cost that one report may have. A report with a higher cost, or with the cost of a whole monthly budget, is held: it counts after an admin has confirmed or corrected it. Null means that only the monthly budget applies. */
        reportCostLimitMicros?: number | null;
        /** The share of the budget at which owners and admins are notified. */
        budgetWarningPercent?: number;
      };
    };
    reply: {
      /** The settings. */
      settings: AutomationSettings;
    };
  };
  /** List runs, newest first */
  "GET /v1/automation-runs": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** The automation. */
        automationId?: string;
        /** The member of the organization that it belongs to. */
        memberId?: string;
        /** One or several, separated by commas. */
        status?: string;
        /** Only runs that were created at this time or later. */
        fromAt?: number;
        /** Only runs that were created before this time. */
        toAt?: number;
      };
    };
    reply: AutomationRunPage;
  };
  /** Read a run, with its attempts and usage */
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
      /** The revision of the automation that this run uses. */
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
  /** Claim a queued run */
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
  /** Renew the lease, and learn whether to stop */
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
  /** List the usage reports of a run, with the price of each cost */
  "GET /v1/automation-runs/{id}/usage": {
    input: {
      path: {
        /** The run. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: AutomationUsageReportPage;
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
  /** List the events of a run, in order */
  "GET /v1/automation-runs/{id}/events": {
    input: {
      path: {
        /** The run. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
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
  /** List the reports that came after the lease was lost */
  "GET /v1/automation-runs/{id}/late-reports": {
    input: {
      path: {
        /** The run. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
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
        /** The number of runs that it executes at once. */
        concurrency?: number;
        /** Whose runs it gets. `organization` needs `automations:manage`. */
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
  /** List my runners; with `automations:manage` those of every member */
  "GET /v1/automation-runners": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: AutomationRunnerPage;
  };
  /** Delete a runner and revoke its tokens at once */
  "DELETE /v1/automation-runners/{id}": {
    input: {
      path: {
        /** The runner. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** List the runs that a runner can claim, oldest first, and those it holds */
  "GET /v1/automation-runner/work": {
    input: object;
    reply: {
      /** Up to 100. */
      items: AutomationRunWaiting[];
      /** The runs that the caller holds. */
      held: AutomationRunHeld[];
    };
  };
  /** Read usage and cost, by run, automation, member, model or day */
  "GET /v1/automation-usage": {
    input: {
      query?: {
        /** The field that groups the figures. */
        groupBy?: "run" | "automation" | "member" | "model" | "day";
        /** Only reports at this time or later. */
        fromAt?: number;
        /** Only reports before this time. */
        toAt?: number;
        /** The automation. */
        automationId?: string;
        /** The member of the organization that it belongs to. */
        memberId?: string;
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the previous page. Omit it for the first page. */
        cursor?: string;
      };
    };
    reply: AutomationUsagePage;
  };
  /** List held usage reports */
  "GET /v1/automation-usage/held": {
    input: {
      query?: {
        /** The maximum number of items to return. */
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
        /** Millionths of a US dollar. */
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
  /** Read how much of this month's budget is spent */
  "GET /v1/automation-budget": {
    input: object;
    reply: {
      /** The budget, and how much of it is spent. */
      budget: AutomationBudget;
    };
  };
  /** List workers */
  "GET /v1/workers": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** Only workers in this state. */
        state?: "never_connected" | "online" | "busy" | "idle" | "draining" | "stale" | "lost" | "stopped" | "paused";
        /** Only workers with this liveness. `alive`: all that are seen. */
        liveness?: "never_seen" | "alive" | "uncertain" | "lost" | "stopped";
        /** `local`: a person's own machine. `remote`: a server. `ephemeral`: exists for a short time. */
        kind?: "local" | "remote" | "ephemeral";
        /** Only workers with this label. */
        label?: string;
      };
    };
    reply: WorkerPage;
  };
  /** Register a worker */
  "POST /v1/workers": {
    input: {
      body: {
        /** The name that people see. One line. */
        name: string;
        /** `local`: a person's own machine. `remote`: a server. `ephemeral`: exists for a short time. */
        kind: "local" | "remote" | "ephemeral";
        /** Words to find and select workers by. */
        labels?: string[];
        /** The ids of the templates that it can read. At most 20. */
        templateIds?: string[];
        /** The ids of the connections whose tokens it can get. The member who registered it must be allowed to use them. At most 20. */
        connectionIds?: string[];
        /** The ids of the LLM providers whose credentials it can get. Changing them needs `llm_providers:manage`. At most 20. */
        llmProviderIds?: string[];
        /** The ids of the only MCP connections that runs on this worker can use. Empty: no limit of its own. Changing them needs `mcp_connections:manage`. A run also needs access to the connection. At most 20. */
        mcpConnectionIds?: string[];
        /** The configuration it should use. */
        configuration?: Record<string, unknown>;
      };
    };
    reply: {
      /** The worker. */
      worker: Worker;
      /** The token, shown once. */
      token: string;
    };
  };
  /** Read a worker */
  "GET /v1/workers/{id}": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
      };
    };
    reply: {
      /** The worker. */
      worker: Worker;
      /** Tokens that are valid now, newest first. */
      tokens: WorkerToken[];
    };
  };
  /** Rename a worker, or change its labels and what it is given */
  "PATCH /v1/workers/{id}": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
      };
      body: {
        /** The name that people see. One line. */
        name?: string;
        /** Words to find and select workers by. */
        labels?: string[];
        /** The ids of the templates that it can read. At most 20. */
        templateIds?: string[];
        /** The ids of the connections whose tokens it can get. The member who registered it must be allowed to use them. At most 20. */
        connectionIds?: string[];
        /** The ids of the LLM providers whose credentials it can get. Changing them needs `llm_providers:manage`. At most 20. */
        llmProviderIds?: string[];
        /** The ids of the only MCP connections that runs on this worker can use. Empty: no limit of its own. Changing them needs `mcp_connections:manage`. A run also needs access to the connection. At most 20. */
        mcpConnectionIds?: string[];
        /** Replaces the whole configuration. */
        configuration?: Record<string, unknown> | null;
        /** The worker acts for the caller from now on. */
        takeOver?: true;
      };
    };
    reply: {
      /** The worker. */
      worker: Worker;
    };
  };
  /** Remove a worker */
  "DELETE /v1/workers/{id}": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Pause a worker */
  "POST /v1/workers/{id}/pause": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
      };
      body: {
        /** Why, for the next person. */
        note: string;
        /** When it resumes by itself, in milliseconds since 1970. */
        until?: number;
      };
    };
    reply: {
      /** The worker. */
      worker: Worker;
    };
  };
  /** Resume a paused worker */
  "POST /v1/workers/{id}/resume": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
      };
    };
    reply: {
      /** The worker. */
      worker: Worker;
    };
  };
  /** Ask a worker to stop */
  "POST /v1/workers/{id}/drain": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
      };
    };
    reply: {
      /** The worker. */
      worker: Worker;
    };
  };
  /** Rotate the token of a worker */
  "POST /v1/workers/{id}/tokens": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
      };
      body?: {
        /** Ends earlier tokens at once, for a token that somebody else may know. */
        endEarlierTokens?: boolean;
      };
    };
    reply: {
      /** The worker. */
      worker: Worker;
      /** The token, shown once. */
      token: string;
    };
  };
  /** List registration tokens */
  "GET /v1/worker-registration-tokens": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: WorkerRegistrationTokenPage;
  };
  /** Create a registration token */
  "POST /v1/worker-registration-tokens": {
    input: {
      body: {
        /** The name that people see. One line. */
        name: string;
        /** `local`: a person's own machine. `remote`: a server. `ephemeral`: exists for a short time. */
        kind: "local" | "remote" | "ephemeral";
        /** Words to find and select workers by. */
        labels?: string[];
        /** The ids of the templates that it can read. At most 20. */
        templateIds?: string[];
        /** The ids of the connections whose tokens it can get. The member who registered it must be allowed to use them. At most 20. */
        connectionIds?: string[];
        /** The ids of the LLM providers whose credentials it can get. Changing them needs `llm_providers:manage`. At most 20. */
        llmProviderIds?: string[];
        /** The ids of the only MCP connections that runs on this worker can use. Empty: no limit of its own. Changing them needs `mcp_connections:manage`. A run also needs access to the connection. At most 20. */
        mcpConnectionIds?: string[];
        /** How many workers can register with it. */
        maxUses?: number;
        /** In milliseconds since 1970. Without it, it does not expire. */
        expiresAt?: number;
      };
    };
    reply: {
      /** The registration token. */
      registrationToken: WorkerRegistrationToken;
      /** The registration token, shown once. */
      token: string;
    };
  };
  /** Rotate a registration token */
  "POST /v1/worker-registration-tokens/{id}/rotate": {
    input: {
      path: {
        /** The registration token. */
        id: string;
      };
      body?: {
        /** Ends the earlier secret at once. */
        endEarlierSecrets?: boolean;
      };
    };
    reply: {
      /** The registration token. */
      registrationToken: WorkerRegistrationToken;
      /** The new secret, shown once. */
      token: string;
    };
  };
  /** Remove a registration token */
  "DELETE /v1/worker-registration-tokens/{id}": {
    input: {
      path: {
        /** The registration token. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Register this machine as a worker */
  "POST /v1/workers/register": {
    input: {
      body: {
        /** Chosen by the machine once and kept. */
        instanceId: string;
        /** If another worker has this name, some letters are added. Without it, the instance id. */
        name?: string;
        /** In addition to those of the registration token. */
        labels?: string[];
      };
    };
    reply: {
      /** The worker. */
      worker: Worker;
      /** The token of the worker, shown once. */
      token: string;
    };
  };
  /** List what a worker was given */
  "GET /v1/workers/{id}/assignments": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
      };
    };
    reply: WorkerAssignments;
  };
  /** Read a template that a worker was given */
  "GET /v1/workers/{id}/templates/{templateId}": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
        /** The template. */
        templateId: string;
      };
    };
    reply: {
      /** The template. */
      template: WorkerTemplate;
    };
  };
  /** Get an access token of a connection that a worker was given */
  "POST /v1/workers/{id}/connections/{connectionId}/token": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
        /** The connection. */
        connectionId: string;
      };
      body?: {
        /** The time for which the token must still be valid. */
        minTtlSeconds?: number;
      };
    };
    reply: WorkerAccessToken;
  };
  /** Get a token for the runner that a worker hosts */
  "POST /v1/workers/{id}/runner-token": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
      };
      body: {
        /** The operating system and processor of the runner. */
        platform?: string;
        /** The version. */
        version?: string;
        /** The number of runs that it executes at once. */
        concurrency?: number;
        /** Whose runs it gets. `organization` needs `automations:manage`. */
        serves?: "own" | "organization";
      };
    };
    reply: {
      /** The token of the runner. */
      token: string;
      /** When it expires, in milliseconds since 1970. Null when it never expires. */
      expiresAt: number;
      /** The path of the event stream that tells runners about new work. */
      eventsPath: string;
    };
  };
  /** Report what a worker runs */
  "PUT /v1/workers/{id}/runtime": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
      };
      body: {
        /** The product version. */
        version: string;
        /** The version of the worker API that it speaks. */
        apiVersion: number;
        /** Such as `linux` or `darwin`. */
        platform: string;
        /** Such as `x64` or `arm64`. */
        arch: string;
        /** What it can do, such as `runner`. */
        capabilities: string[];
        /** Such as `concurrency` and `memoryMb`. */
        limits?: Record<string, number>;
        /** The health of what it depends on. */
        services?: WorkerService[];
        /** Chosen anew by each process. */
        bootId?: string;
        /** The configuration that it uses. */
        configurationRevision?: number;
      };
    };
    reply: {
      /** The worker that the token is for. */
      workerId: string;
      /** What the worker reported last, beside what is desired. */
      runtime: WorkerRuntime;
      /** What the server wants of the worker. */
      desired: WorkerDesired;
      /** The greatest sequence of a heartbeat, −1 before the first. */
      sequence: number;
      /** When the next heartbeat is due, with some jitter. */
      nextHeartbeatSeconds: number;
    };
  };
  /** Read what a worker runs */
  "GET /v1/workers/{id}/runtime": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
      };
    };
    reply: {
      /** What the worker reported last, beside what is desired. */
      runtime: WorkerRuntime;
    };
  };
  /** Upgrade a worker */
  "POST /v1/workers/{id}/runtime/upgrade": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
      };
      body: {
        /** The product version to run. */
        version: string;
        /** In milliseconds since 1970. Defaults to an hour from now. */
        deadlineAt?: number;
      };
    };
    reply: {
      /** The upgrade. */
      upgrade: WorkerUpgrade;
    };
  };
  /** Report the progress of an upgrade */
  "PATCH /v1/workers/{id}/runtime/upgrade": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
      };
      body: {
        /** The upgrade. */
        upgradeId: string;
        /** The current state. */
        state: "acknowledged" | "draining" | "failed";
        /** Why it failed, for people. */
        reason?: string;
      };
    };
    reply: {
      /** The upgrade. */
      upgrade: WorkerUpgrade;
    };
  };
  /** List the upgrades of a worker */
  "GET /v1/workers/{id}/runtime/upgrades": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: WorkerUpgradePage;
  };
  /** Upgrade a share of the workers */
  "POST /v1/worker-rollouts": {
    input: {
      body: {
        /** The product version to run. */
        version: string;
        /** The share of workers. Which ones is decided by a hash of their ids, so a larger share adds to a smaller one. */
        percent: number;
        /** Only workers with all of these labels. */
        labels?: string[];
        /** In milliseconds since 1970. Defaults to an hour from now. */
        deadlineAt?: number;
      };
    };
    reply: {
      /** The rollout. */
      rollout: WorkerRollout;
    };
  };
  /** List rollouts */
  "GET /v1/worker-rollouts": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: WorkerRolloutPage;
  };
  /** Read a rollout */
  "GET /v1/worker-rollouts/{id}": {
    input: {
      path: {
        /** The rollout. */
        id: string;
      };
    };
    reply: {
      /** The rollout. */
      rollout: WorkerRollout;
    };
  };
  /** Widen a rollout */
  "PATCH /v1/worker-rollouts/{id}": {
    input: {
      path: {
        /** The rollout. */
        id: string;
      };
      body: {
        /** The share of workers. Which ones is decided by a hash of their ids, so a larger share adds to a smaller one. */
        percent: number;
      };
    };
    reply: {
      /** The rollout. */
      rollout: WorkerRollout;
    };
  };
  /** End a rollout */
  "DELETE /v1/worker-rollouts/{id}": {
    input: {
      path: {
        /** The rollout. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Say that a worker lives */
  "POST /v1/workers/{id}/activity-heartbeat": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
      };
      body: {
        /** Greater than that of the heartbeat before, also after a restart. After 2^52 or more, a number below 2^52 starts again. */
        sequence: number;
        /** The worker's own clock. Ages are measured with the server's clock. */
        at: number;
        /** `stopped`: the last heartbeat of a process that ends. */
        status: "busy" | "idle" | "draining" | "stopped";
        /** The runs that it has. */
        runIds?: string[];
      };
    };
    reply: {
      /** When it was received, by the server's clock. */
      receivedAt: number;
      /** The greatest sequence that the server has. */
      sequence: number;
      /** When the next heartbeat is due, with some jitter. */
      nextHeartbeatSeconds: number;
      /** What the server wants of the worker. */
      desired: WorkerDesired;
    };
  };
  /** Read the timeline of a worker */
  "GET /v1/workers/{id}/activity": {
    input: {
      path: {
        /** The worker. With a worker token also `self`. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: WorkerActivityPage;
  };
  /** List audit entries */
  "GET /v1/audit-events": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** An action, or the beginning of all actions of one kind, such as `member`. */
        action?: string;
        /** The id of a user or of a member. */
        actorId?: string;
        /** The kind of credential that was used. */
        credential?: "session" | "key" | "runner" | "run" | "worker" | "worker_registration" | "scim" | "mcp" | "mcp_client" | "system";
        /** Only changes of this kind of object. */
        targetType?: string;
        /** Only changes of the object with this id. */
        targetId?: string;
        /** Only entries at this time or later, in milliseconds since 1970. */
        from?: number;
        /** Only entries before this time, in milliseconds since 1970. */
        to?: number;
      };
    };
    reply: AuditEventPage;
  };
  /** Read an entry */
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
  /** Read the end of the audit chain, and how long entries are kept */
  "GET /v1/audit-chain": {
    input: object;
    reply: {
      /** The state of the audit chain. */
      chain: AuditChain;
    };
  };
  /** Set how long entries are kept */
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
  /** List the templates of the organization, without their bodies */
  "GET /v1/templates": {
    input: {
      query?: {
        /** The maximum number of items to return. */
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
  /** Create a template by hand */
  "POST /v1/templates": {
    input: {
      body: {
        /** The name that people see. One line. */
        name: string;
        /** Defaults to a slug made from the name. */
        slug?: string;
        /** A text for people that explains its purpose. */
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
  /** Read a template */
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
  /** Change a template; this creates a version */
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
        /** A text for people that explains its purpose. */
        description?: string;
        /** Words to find the template by. */
        tags?: string[];
        /** The text of the template, in Markdown. */
        body?: string;
        /** Other fields from the front matter of the template. */
        metadata?: Record<string, unknown>;
        /** The current revision or version. When it has changed meanwhile, the request is refused. */
        version?: number;
      };
    };
    reply: {
      /** The template. */
      template: Template;
    };
  };
  /** Remove a template that was created by hand, with all its versions */
  "DELETE /v1/templates/{id}": {
    input: {
      path: {
        /** The template. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** List the versions of a template, without their bodies */
  "GET /v1/templates/{id}/versions": {
    input: {
      path: {
        /** The template. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: TemplateVersionPage;
  };
  /** Read a version of a template */
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
  /** List connectors */
  "GET /v1/connectors": {
    input: {
      query?: {
        /** The maximum number of items to return. */
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
        /** The page of the repository at the code host. */
        codehost: "github" | "gitlab" | "gitea" | "forgejo" | "bitbucket" | "git";
        /** The address of your own server, such as `https://git.example.com`. */
        baseUrl?: string;
        /** `owner/name`. */
        repository: string;
        /** http or https. When omitted, it is derived from the other fields. */
        cloneUrl?: string;
        /** `main`, `refs/heads/main` or `refs/tags/v1`. */
        ref: string;
        /** When omitted or empty: the whole repository. */
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
  /** Read a connector, and what to enter at its code host */
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
  /** Change, disable or enable a connector */
  "PATCH /v1/connectors/{id}": {
    input: {
      path: {
        /** The connector. */
        id: string;
      };
      body: {
        /** The name of the connector. */
        name?: string;
        /** The address of the code host. Null for the public one of its kind. */
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
        /** `keep`: its templates stay, as templates that were created by hand. */
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
  /** List the webhook secrets of a connector, without their values */
  "GET /v1/connectors/{id}/webhook-secrets": {
    input: {
      path: {
        /** The connector. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: WebhookSecretPage;
  };
  /** Create a second secret, to replace the first without losing deliveries */
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
  /** Revoke a secret at once */
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
  /** List syncs, newest first */
  "GET /v1/connector-syncs": {
    input: {
      query?: {
        /** The maximum number of items to return. */
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
  /** Read a sync */
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
  /** Retry a failed sync now */
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
  /** Receive a webhook of any code host */
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
  /** Receive a webhook of GitHub */
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
  /** Receive a webhook of GitLab */
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
  /** Receive a webhook of Gitea */
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
  /** Receive a webhook of Forgejo */
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
  /** Receive a webhook of Bitbucket */
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
  /** List webhook deliveries */
  "GET /v1/webhook-deliveries": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** The connector. */
        connectorId?: string;
        /** Only deliveries with this outcome. */
        outcome?: "accepted" | "ignored" | "invalid";
        /** The name that the code host uses: `push`, `Push Hook`, `repo:push`. */
        event?: string;
      };
    };
    reply: WebhookDeliveryPage;
  };
  /** Read a delivery; with `connectors:manage` also its headers and body */
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
      /** Why nothing was queued. */
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
        /** The maximum number of items to return. */
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
      body: NotificationSettingsInput;
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
        /** Costs reached the warning level or the whole of a budget or alert. */
        "budget.reached": "off" | "own" | "all";
        /** A connector could not be synced. */
        "sync.failed": "off" | "own" | "all";
        /** A worker is lost, will be removed soon, or was removed. */
        "worker.unseen": "off" | "own" | "all";
        /** The server of an MCP connection changed its tools. */
        "mcp_connection.drift": "off" | "own" | "all";
        /** The server of an MCP connection does not answer as it should. */
        "mcp_connection.failing": "off" | "own" | "all";
        /** An agent wants to call a destructive tool and needs approval. */
        "mcp_approval.requested": "off" | "own" | "all";
      };
      /** Whether my address is confirmed. Without that, no mail is sent. */
      emailVerified: boolean;
    };
  };
  /** Choose which mails I get from the active organization */
  "PUT /v1/me/notification-settings": {
    input: {
      body: MyNotificationSettingsInput;
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
        /** Costs reached the warning level or the whole of a budget or alert. */
        "budget.reached": "off" | "own" | "all";
        /** A connector could not be synced. */
        "sync.failed": "off" | "own" | "all";
        /** A worker is lost, will be removed soon, or was removed. */
        "worker.unseen": "off" | "own" | "all";
        /** The server of an MCP connection changed its tools. */
        "mcp_connection.drift": "off" | "own" | "all";
        /** The server of an MCP connection does not answer as it should. */
        "mcp_connection.failing": "off" | "own" | "all";
        /** An agent wants to call a destructive tool and needs approval. */
        "mcp_approval.requested": "off" | "own" | "all";
      };
      /** Whether my address is confirmed. Without that, no mail is sent. */
      emailVerified: boolean;
    };
  };
  /** List the webhook endpoints of the organization */
  "GET /v1/webhook-endpoints": {
    input: {
      query?: {
        /** The maximum number of items to return. */
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
        types?: ("run.failed" | "connection.needs_attention" | "budget.reached" | "sync.failed" | "worker.unseen" | "mcp_connection.drift" | "mcp_connection.failing" | "mcp_approval.requested")[];
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
  /** Change, disable or enable an endpoint */
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
        types?: ("run.failed" | "connection.needs_attention" | "budget.reached" | "sync.failed" | "worker.unseen" | "mcp_connection.drift" | "mcp_connection.failing" | "mcp_approval.requested")[];
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
      body?: {
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
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** Only deliveries in this state. */
        status?: "pending" | "succeeded" | "failed";
      };
    };
    reply: WebhookEndpointDeliveryPage;
  };
  /** Read a delivery with its body and its attempts */
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
  /** Report telemetry events */
  "POST /v1/telemetry/events": {
    input: {
      body: {
        /** The events, in order. */
        events: TelemetryEventInput[];
      };
    };
    reply: TelemetryReport;
  };
  /** List telemetry events */
  "GET /v1/telemetry/events": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** Only events of this type. */
        type?: string;
        /** Only events of this member. */
        memberId?: string;
        /** Only events of this run. */
        runId?: string;
        /** Only events at this time or later, in milliseconds since 1970. */
        from?: number;
        /** Only events before this time, in milliseconds since 1970. */
        to?: number;
      };
    };
    reply: TelemetryEventPage;
  };
  /** Sum telemetry by day, type, member, team, model, worker or automation */
  "GET /v1/telemetry/summary": {
    input: {
      query?: {
        /** The first day: the one with this time, in milliseconds since 1970. By default 30 days ago. */
        from?: number;
        /** The days end before this time. By default with today. */
        to?: number;
        /** What each item is about, separated by commas: day, type, member, team, model, worker, automation. */
        groupBy?: string;
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: TelemetrySummaryPage;
  };
  /** Read the telemetry settings */
  "GET /v1/telemetry/settings": {
    input: object;
    reply: {
      /** The settings. */
      settings: TelemetrySettings;
    };
  };
  /** Change the telemetry settings */
  "PUT /v1/telemetry/settings": {
    input: {
      body: TelemetrySettings;
    };
    reply: {
      /** The settings. */
      settings: TelemetrySettings;
    };
  };
  /** Receive spans */
  "POST /otlp/v1/traces": {
    input: {
      body: Record<string, unknown>;
    };
    reply: OtlpTraceReply;
  };
  /** Receive log records */
  "POST /otlp/v1/logs": {
    input: {
      body: Record<string, unknown>;
    };
    reply: OtlpLogsReply;
  };
  /** Receive metrics */
  "POST /otlp/v1/metrics": {
    input: {
      body: Record<string, unknown>;
    };
    reply: OtlpMetricsReply;
  };
  /** Find out how an external MCP server must be connected */
  "POST /v1/mcp-connections/discover": {
    input: {
      query?: {
        /** `evidence` adds every request that was sent, its findings and the rule that decided. */
        include?: "evidence";
      };
      body: ExternalMcpRequirementsDiscoveryInput;
    };
    reply: ExternalMcpRequirementsDiscovery;
  };
  /** List MCP connections */
  "GET /v1/mcp-connections": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** Only connections in this state. */
        status?: "connected" | "tools_held" | "not_connected" | "needs_consent" | "sign_in" | "no_answer" | "off";
      };
    };
    reply: McpConnectionPage;
  };
  /** Save an MCP connection */
  "POST /v1/mcp-connections": {
    input: {
      body: {
        /** Where the MCP server answers. http or https, without credentials. */
        url: string;
        /** The name that people see. Default: the name of the server's host. */
        name?: string;
        /** The kind of credential that was used. */
        credential?: "shared" | "per_member";
        /** How to register. Needed for a server that cannot be reached now. */
        registration?: "none" | "client_metadata" | "dynamic" | "pre_registered" | "bearer";
        /** The issuer, when the server names several. */
        authorizationServer?: string;
        /** For `pre_registered`. */
        clientId?: string;
        /** For `pre_registered`, if there is one. */
        clientSecret?: string;
        /** For `bearer`: the token to send. Shared credentials only. */
        bearerToken?: string;
        /** Headers to send with every request, such as an API key. Values are stored sealed. */
        headers?: Record<string, string>;
        /** Default: the scopes that discovery recommends. */
        scopes?: string[];
        /** How the repository is read. */
        access?: {
          /** Every member, and every run, may use it. */
          organization?: boolean;
          /** The teams whose members may use it. */
          teamIds?: string[];
          /** The members who may use it. */
          memberIds?: string[];
          /** The automations whose runs may use it. */
          automationIds?: string[];
        };
        /** A kept verdict of this URL, not older than an hour. The server is not discovered again. */
        discoveryId?: string;
      };
    };
    reply: {
      /** The connection. */
      connection: McpConnectionDetail;
    };
  };
  /** Read an MCP connection */
  "GET /v1/mcp-connections/{id}": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
    };
    reply: {
      /** The connection. */
      connection: McpConnectionDetail;
    };
  };
  /** Change an MCP connection */
  "PATCH /v1/mcp-connections/{id}": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
      body: {
        /** The name that people see. One line. */
        name?: string;
        /** Whether it is enabled. */
        enabled?: boolean;
        /** Members consent to new scopes when they connect the next time. */
        scopes?: string[];
        /** The limits to change. */
        limits?: {
          /** Calls per minute, of all callers. */
          callsPerMinute?: number;
          /** Calls at the same time, of all callers. */
          concurrency?: number;
          /** How long a call may take. */
          timeoutSeconds?: number;
          /** The largest arguments of a call, in bytes. */
          maxRequestBytes?: number;
          /** The largest result of a call, in bytes. */
          maxResultBytes?: number;
          /** How old the list of tools may be before it is read again. Policies that hold tools read it before every call. */
          listingSeconds?: number;
        };
        /** Whether arguments and results of calls are kept. */
        logPayloads?: boolean;
        /** For how many days they are kept. */
        payloadDays?: number;
      };
    };
    reply: {
      /** The connection. */
      connection: McpConnectionDetail;
    };
  };
  /** Delete an MCP connection */
  "DELETE /v1/mcp-connections/{id}": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Discover the server of an MCP connection again */
  "POST /v1/mcp-connections/{id}/discover": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
      body?: {
        /** Accepts what the server answers now as the new verdict. */
        accept?: true;
      };
    };
    reply: {
      /** The connection. */
      connection: McpConnectionDetail;
    };
  };
  /** Test an MCP connection */
  "POST /v1/mcp-connections/{id}/test": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
    };
    reply: {
      /** The result, step by step. */
      test: McpConnectionTest;
    };
  };
  /** Move an MCP connection to another authorization server */
  "PUT /v1/mcp-connections/{id}/authorization-server": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
      body: {
        /** The issuer, as the server names it. */
        authorizationServer: string;
        /** How to register. Default: the recommended way, if nobody has to decide anything. */
        registration?: "client_metadata" | "dynamic" | "pre_registered";
        /** For `pre_registered`. */
        clientId?: string;
        /** For `pre_registered`, if there is one. */
        clientSecret?: string;
      };
    };
    reply: {
      /** The connection. */
      connection: McpConnectionDetail;
    };
  };
  /** Start to connect my account to an MCP connection */
  "GET /v1/mcp-connections/{id}/connect/start": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
      query?: {
        /** Additional scopes, separated by spaces, such as those that the server found missing. */
        scopes?: string;
        /** A path on this site that the last page links back to. */
        returnTo?: string;
        /** For browsers only: the confirmation from the page that asks whether to continue. Valid for ten minutes. */
        confirm?: string;
      };
    };
    reply: McpConnectStart;
  };
  /** Claim an account that was connected in a browser without my session */
  "POST /v1/mcp-connections/{id}/connect/claim": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
      body: {
        /** The code that the page shows. */
        code: string;
      };
    };
    reply: undefined;
  };
  /** Disconnect my account from an MCP connection */
  "POST /v1/mcp-connections/{id}/disconnect": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** Set the token or headers of an MCP connection */
  "PUT /v1/mcp-connections/{id}/credential": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
      body: {
        /** Sent as `Authorization: Bearer …`. */
        bearerToken?: string;
        /** Headers to send with every request, such as an API key. Values are stored sealed. */
        headers?: Record<string, string>;
      };
    };
    reply: undefined;
  };
  /** List the members of an MCP connection */
  "GET /v1/mcp-connections/{id}/members": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: McpConnectionMemberPage;
  };
  /** Read who may use an MCP connection */
  "GET /v1/mcp-connections/{id}/access": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
    };
    reply: {
      /** Who may use it. */
      access: McpConnectionAccess;
    };
  };
  /** Say who may use an MCP connection */
  "PUT /v1/mcp-connections/{id}/access": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
      body: {
        /** Every member, and every run, may use it. */
        organization?: boolean;
        /** The teams whose members may use it. */
        teamIds?: string[];
        /** The members who may use it. */
        memberIds?: string[];
        /** The automations whose runs may use it. */
        automationIds?: string[];
      };
    };
    reply: {
      /** Who may use it. */
      access: McpConnectionAccess;
    };
  };
  /** Read the client metadata document of this instance */
  "GET /oauth/client-metadata.json": {
    input: object;
    reply: OauthClientMetadata;
  };
  /** List the tools of an MCP connection */
  "GET /v1/mcp-connections/{id}/tools": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** Only tools in this state. */
        state?: "approved" | "held" | "removed";
      };
    };
    reply: McpToolPage;
  };
  /** Set what may be done with the tools of a connection */
  "PUT /v1/mcp-connections/{id}/tools/policy": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
      body: {
        /** The only tools that may be called. `*` at the end of a name stands for any rest. Null: all tools. */
        allow?: string[] | null;
        /** Tools that may not be called, even when `allow` names them. */
        deny?: string[];
        /** Tools that are in no list and in no search. They can still be called by name. */
        hide?: string[];
        /** What happens when the server changes a tool after it was approved. `warn`: people are told. `hold_changed`: changed and new tools cannot be called until they are approved. `hold_all`: no tool can be called until then. */
        onDrift?: "warn" | "hold_changed" | "hold_all";
        /** Whether tools that say they destroy or overwrite may be called, or only with approval. */
        destructive?: "allow" | "approve" | "deny";
        /** Tools that do not say whether they only read count as destructive. */
        treatUnknownAsDestructive?: boolean;
      };
    };
    reply: {
      /** The policy, with all fields. */
      policy: McpToolPolicy;
    };
  };
  /** List what the server changed since its tools were approved */
  "GET /v1/mcp-connections/{id}/drift": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: McpDriftPage;
  };
  /** Approve what the server changed */
  "POST /v1/mcp-connections/{id}/drift/approve": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
      body?: {
        /** The names of the tools. Omitted: all of them, and the instructions. */
        tools?: string[];
        /** Also approve the instructions. Only needed together with `tools`. */
        instructions?: boolean;
        /** The `revision` of the list that the caller saw. Refused when something changed since. Omitted: what differs at this moment is approved, seen or not. */
        revision?: string;
      };
    };
    reply: {
      /** What is approved now. */
      baseline: McpBaseline;
    };
  };
  /** List calls of destructive tools that wait for approval, and earlier ones */
  "GET /v1/mcp-approvals": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** Only approvals with this status. */
        status?: "pending" | "approved" | "denied" | "used" | "expired";
        /** Only calls of this connection. */
        connectionId?: string;
      };
    };
    reply: McpApprovalPage;
  };
  /** Read the approval of a call, with its arguments */
  "GET /v1/mcp-approvals/{id}": {
    input: {
      path: {
        /** The approval. */
        id: string;
      };
    };
    reply: {
      /** The approval of one call. */
      approval: McpApproval;
    };
  };
  /** Approve one call */
  "POST /v1/mcp-approvals/{id}/approve": {
    input: {
      path: {
        /** The approval. */
        id: string;
      };
      body: {
        /** Why, for the audit log and the member who asked. */
        note?: string;
      };
    };
    reply: {
      /** The approval of one call. */
      approval: McpApproval;
    };
  };
  /** Deny one call */
  "POST /v1/mcp-approvals/{id}/deny": {
    input: {
      path: {
        /** The approval. */
        id: string;
      };
      body: {
        /** Why, for the audit log and the member who asked. */
        note?: string;
      };
    };
    reply: {
      /** The approval of one call. */
      approval: McpApproval;
    };
  };
  /** List calls of tools */
  "GET /v1/mcp-calls": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** Only calls of this connection. */
        connectionId?: string;
        /** Only calls of this member. */
        memberId?: string;
        /** Only calls of this tool, by its name at its server, without a prefix. */
        tool?: string;
        /** Only calls with this outcome. */
        outcome?: "ok" | "tool_error" | "refused" | "failed" | "cancelled" | "timed_out";
        /** Only calls of this run. */
        runId?: string;
        /** Only calls at this time or later, in milliseconds since 1970. */
        from?: number;
        /** Only calls before this time, in milliseconds since 1970. */
        to?: number;
      };
    };
    reply: McpCallPage;
  };
  /** Read a call */
  "GET /v1/mcp-calls/{id}": {
    input: {
      path: {
        /** The call. */
        id: string;
      };
    };
    reply: {
      /** The call. */
      call: McpCallDetails;
    };
  };
  /** List calls of one connection */
  "GET /v1/mcp-connections/{id}/calls": {
    input: {
      path: {
        /** The MCP connection. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** Only calls of this member. */
        memberId?: string;
        /** Only calls of this tool, by its name at its server, without a prefix. */
        tool?: string;
        /** Only calls with this outcome. */
        outcome?: "ok" | "tool_error" | "refused" | "failed" | "cancelled" | "timed_out";
        /** Only calls of this run. */
        runId?: string;
        /** Only calls at this time or later, in milliseconds since 1970. */
        from?: number;
        /** Only calls before this time, in milliseconds since 1970. */
        to?: number;
      };
    };
    reply: McpCallPage;
  };
  /** Show the servers in a configuration file */
  "POST /v1/mcp-connections/import/preview": {
    input: {
      body: {
        /** The file as text. JSON, with or without comments and trailing commas. */
        text?: string;
        /** The file as a JSON object, instead of `text`. */
        document?: Record<string, unknown>;
      };
    };
    reply: McpImportPreview;
  };
  /** Read the configuration that adds this instance to an MCP client */
  "GET /v1/mcp-connections/export": {
    input: {
      query: {
        /** The MCP client. */
        client: "claude-code" | "claude-desktop" | "claude-ai" | "cursor" | "vscode" | "windsurf" | "zed" | "gemini-cli" | "codex" | "lm-studio" | "opencode";
        /** How the client authenticates. */
        credential?: "oauth" | "token";
      };
    };
    reply: {
      /** The configuration. */
      configuration: McpClientConfiguration;
    };
  };
  /** List earlier verdicts */
  "GET /v1/mcp-discoveries": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** The current state. */
        status?: "ready" | "manual_action_required" | "unsupported" | "unreachable";
      };
    };
    reply: McpDiscoveryPage;
  };
  /** Read a shared verdict by its token */
  "GET /v1/mcp-discoveries/shared": {
    input: {
      query: {
        /** The token of the link. */
        token: string;
      };
    };
    reply: {
      /** The shared verdict. */
      discovery: SharedMcpDiscovery;
    };
  };
  /** Create a link that shares a verdict */
  "POST /v1/mcp-discoveries/{id}/shares": {
    input: {
      path: {
        /** The kept verdict. */
        id: string;
      };
      body: {
        /** When the link expires: after so many days. */
        expiresInDays?: number;
      };
    };
    reply: {
      /** The link, without its token. */
      share: McpDiscoveryShare;
      /** The token in the link. It is shown once. */
      token: string;
      /** The link for people. The token is in its fragment, which browsers do not send to servers. */
      url: string;
    };
  };
  /** List the links that share a verdict */
  "GET /v1/mcp-discoveries/{id}/shares": {
    input: {
      path: {
        /** The kept verdict. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: McpDiscoverySharePage;
  };
  /** Remove a link that shares a verdict */
  "DELETE /v1/mcp-discoveries/{id}/shares/{shareId}": {
    input: {
      path: {
        /** The kept verdict. */
        id: string;
        /** The link. */
        shareId: string;
      };
    };
    reply: undefined;
  };
  /** Read an earlier verdict and its evidence */
  "GET /v1/mcp-discoveries/{id}": {
    input: {
      path: {
        /** The kept verdict. */
        id: string;
      };
    };
    reply: {
      /** The kept verdict. */
      discovery: McpDiscovery;
    };
  };
  /** Delete an earlier verdict */
  "DELETE /v1/mcp-discoveries/{id}": {
    input: {
      path: {
        /** The kept verdict. */
        id: string;
      };
    };
    reply: undefined;
  };
  /** List the providers */
  "GET /v1/oauth-providers": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** Only providers with, or without, a client. */
        configured?: "true" | "false";
      };
    };
    reply: OauthProviderPage;
  };
  /** Add a custom provider */
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
        /** The address that returns the account, as in OpenID Connect. */
        userinfoEndpoint?: string;
        /** The names of its scopes. */
        scopes?: string[];
        /** The separator between scopes. */
        scopeSeparator?: " " | ",";
        /** Additional parameters for the authorization endpoint, such as `access_type`. */
        authorizeParameters?: Record<string, string>;
        /** Whether refresh tokens stay valid after use. Then one can be sent again when a reply was lost. */
        reusableRefreshTokens?: boolean;
      };
    };
    reply: {
      /** The provider. */
      provider: OauthProvider;
    };
  };
  /** Read a provider */
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
  /** Remove a custom provider and its client */
  "DELETE /v1/oauth-providers/{providerId}": {
    input: {
      path: {
        /** The provider. */
        providerId: string;
      };
      query?: {
        /** End the connections that use it. */
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
        /** For `private_key_jwt`, in PEM. When omitted, a key is generated, and only its public half is shown. */
        privateKey?: string;
        /** The id of the signing key. */
        keyId?: string;
        /** The tenant at the provider, if the provider has tenants. */
        tenant?: string;
        /** The names of its scopes. */
        scopes?: string[];
        /** Scopes that a member can request in addition to `scopes`. */
        optionalScopes?: string[];
        /** Whether members connect their own accounts, or share one. */
        connectionMode?: "personal" | "organization";
        /** End every connection that uses it. */
        endConnections?: boolean;
      };
    };
    reply: {
      /** The OAuth client. */
      client: OauthClient;
    };
  };
  /** Read the organization's OAuth client for a provider, without its secret */
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
        /** End the connections that use it. */
        endConnections?: "true" | "false";
      };
    };
    reply: undefined;
  };
  /** Start to connect my account at a provider */
  "GET /v1/oauth-providers/{providerId}/connect/start": {
    input: {
      path: {
        /** The provider. */
        providerId: string;
      };
      query?: {
        /** A label, to have several accounts at one provider. Default `default`. */
        account?: string;
        /** Additional scopes to request, separated by spaces. The client must allow them. */
        scopes?: string;
        /** `true` for a shared connection. Needs `connections:manage`. */
        shared?: "true" | "false";
        /** A path on this site that the last page links back to. */
        returnTo?: string;
        /** For browsers only: the confirmation from the page that asks whether to continue. Valid for ten minutes. */
        confirm?: string;
      };
    };
    reply: OauthConnectStart;
  };
  /** Claim a connection that was completed in a browser without my session */
  "POST /v1/oauth-providers/{providerId}/connect/claim": {
    input: {
      path: {
        /** The provider. */
        providerId: string;
      };
      body: {
        /** The code that the page shows. */
        code: string;
      };
    };
    reply: {
      /** The connection. */
      connection: OauthConnection;
    };
  };
  /** List my connections to a provider, with their health */
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
      /** Whether at least one of them works. */
      connected: boolean;
      /** The caller's connections. */
      connections: OauthConnection[];
    };
  };
  /** Get a valid access token of my account, for an agent */
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
        /** The time for which the token must still be valid. Tokens with a shorter lifetime are refreshed at half of it. */
        minTtlSeconds?: number;
        /** The scopes that the token must have. */
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
  /** List my connections and the shared ones I may use; with `connections:manage` all connections */
  "GET /v1/oauth-connections": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** The provider. */
        providerId?: string;
        /** `true` for connections that have ended in the last 90 days. */
        ended?: "true" | "false";
      };
    };
    reply: OauthConnectionPage;
  };
  /** Read a connection */
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
  /** Read what uses a connection */
  "GET /v1/oauth-connections/{id}/uses": {
    input: {
      path: {
        /** The connection. */
        id: string;
      };
    };
    reply: {
      /** What uses the connection. */
      uses: OauthConnectionUses;
    };
  };
  /** List the events of a connection, including issued tokens */
  "GET /v1/oauth-connections/{id}/events": {
    input: {
      path: {
        /** The connection. */
        id: string;
      };
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
      };
    };
    reply: OauthConnectionEventPage;
  };
  /** List who may use a shared connection */
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
  /** Set who may use a shared connection */
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
  /** Read the state of the instance */
  "GET /v1/admin/overview": {
    input: {
      query?: {
        /** How many days the figures of runs, costs and growth cover, with today. */
        days?: number;
      };
    };
    reply: AdminOverview;
  };
  /** List all accounts */
  "GET /v1/admin/users": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** The beginning of the address. */
        email?: string;
        /** The order of the list. */
        sort?: "newest" | "email";
      };
    };
    reply: AdminUserPage;
  };
  /** Sign a person out everywhere */
  "POST /v1/admin/users/{id}/sign-out": {
    input: {
      path: {
        /** The account. */
        id: string;
      };
    };
    reply: {
      /** How many sessions ended. */
      sessionsEnded: number;
    };
  };
  /** Remove the second factors of a person */
  "POST /v1/admin/users/{id}/reset-second-factor": {
    input: {
      path: {
        /** The account. */
        id: string;
      };
    };
    reply: {
      /** How many sessions ended. */
      sessionsEnded: number;
      /** How many passkeys were removed. */
      passkeysRemoved: number;
    };
  };
  /** List all organizations */
  "GET /v1/admin/organizations": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** How many days the figures of runs and costs cover, with today. */
        days?: number;
        /** Only organizations in this state. */
        state?: "active" | "suspended" | "provisional";
        /** The beginning of the name or of the slug. */
        search?: string;
      };
    };
    reply: AdminOrganizationPage;
  };
  /** Read an organization, with its quotas */
  "GET /v1/admin/organizations/{id}": {
    input: {
      path: {
        /** The organization. */
        id: string;
      };
      query?: {
        /** How many days the figures of runs and costs cover, with today. */
        days?: number;
      };
    };
    reply: {
      /** The organization. */
      organization: AdminOrganization;
      /** All quotas, with the limit and the use of each. */
      quotas: Quota[];
    };
  };
  /** Suspend an organization */
  "POST /v1/admin/organizations/{id}/suspend": {
    input: {
      path: {
        /** The organization. */
        id: string;
      };
      body: {
        /** Why. It is recorded in the log of the instance and in the audit log of the organization. */
        reason: string;
      };
    };
    reply: {
      /** The organization. */
      organization: AdminOrganization;
    };
  };
  /** Restore a suspended organization */
  "POST /v1/admin/organizations/{id}/restore": {
    input: {
      path: {
        /** The organization. */
        id: string;
      };
    };
    reply: {
      /** The organization. */
      organization: AdminOrganization;
    };
  };
  /** Set the limits of an organization */
  "PUT /v1/admin/organizations/{id}/limits": {
    input: {
      path: {
        /** The organization. */
        id: string;
      };
      body: {
        /** Limits by the name of the quota. `GET /v1/admin/organizations/{id}` lists the names. */
        limits: Record<string, number>;
      };
    };
    reply: {
      /** All quotas, with the limit and the use of each. */
      quotas: Quota[];
    };
  };
  /** Read the usage of the instance over time */
  "GET /v1/admin/usage": {
    input: {
      query?: {
        /** From the UTC day of this time on, in milliseconds since 1970. Default: 29 days before the end. */
        from?: number;
        /** Up to and including the UTC day of this time, in milliseconds since 1970. Default: today. */
        to?: number;
        /** Weeks begin on Monday. */
        interval?: "day" | "week" | "month";
        /** One item for each organization with activity. */
        groupBy?: "organization";
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the previous page. Omit it for the first page. */
        cursor?: string;
      };
    };
    reply: AdminUsagePage;
  };
  /** List the log of the instance */
  "GET /v1/admin/audit-events": {
    input: {
      query?: {
        /** The maximum number of items to return. */
        limit?: number;
        /** `nextCursor` of the page before. */
        cursor?: string;
        /** An action, or the beginning of all actions of one kind, such as `member`. */
        action?: string;
        /** The id of a user or of a member. */
        actorId?: string;
        /** The kind of credential that was used. */
        credential?: "session" | "key" | "runner" | "run" | "worker" | "worker_registration" | "scim" | "mcp" | "mcp_client" | "system";
        /** Only changes of this kind of object. */
        targetType?: string;
        /** Only changes of the object with this id. */
        targetId?: string;
        /** Only entries at this time or later, in milliseconds since 1970. */
        from?: number;
        /** Only entries before this time, in milliseconds since 1970. */
        to?: number;
      };
    };
    reply: AdminAuditEventPage;
  };
  /** Read an entry of the log of the instance */
  "GET /v1/admin/audit-events/{id}": {
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
  /** Search the documentation */
  "GET /docs/search.json": {
    input: {
      query: {
        /** Words to search for. */
        q: string;
      };
    };
    reply: {
      /** The passages that were found, the best first. */
      results: {
        /** The name of the page in the menu. */
        page: string;
        /** The section of the menu. */
        section: string;
        /** The heading of the passage. */
        heading: string;
        /** The address of the passage. */
        url: string;
        /** A part of the text around the words. */
        excerpt: string;
      }[];
    };
  };
}

/** Every operation that replies with a stream of events. */
export interface Streams {
  /** Stream the events of a run */
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
  /** Stream wake-up messages for a runner */
  "GET /v1/automation-runners/events": {
    input: object;
  };
  /** Save servers of a configuration file */
  "POST /v1/mcp-connections/import": {
    input: {
      body: {
        /** The file as text. JSON, with or without comments and trailing commas. */
        text?: string;
        /** The file as a JSON object, instead of `text`. */
        document?: Record<string, unknown>;
        /** The servers to save, each with the `key` of the preview or a `url`. */
        items: McpImportChoice[];
      };
    };
  };
  /** Discover a server and follow each step */
  "POST /v1/mcp-discoveries": {
    input: {
      body: {
        /** Where the MCP server answers. http or https, without credentials. */
        url: string;
      };
    };
  };
}

/** The operations that accept an `Idempotency-Key`. */
export const idempotentOperations: ReadonlySet<string> = new Set([
  "POST /v1/me/two-factor",
  "POST /v1/me/passkeys",
  "POST /v1/me/passkeys/options",
  "POST /v1/organizations",
  "POST /v1/bootstrap/workspace",
  "POST /v1/bootstrap/claims",
  "POST /v1/invitations",
  "POST /v1/roles",
  "POST /v1/teams",
  "POST /v1/sso/domains",
  "POST /v1/sso/saml",
  "POST /v1/sso/oidc",
  "POST /v1/scim/token",
  "POST /scim/v2/Users",
  "POST /scim/v2/Groups",
  "POST /v1/api-keys",
  "POST /v1/api-keys/{id}/rotate",
  "POST /v1/mcp/token",
  "POST /oauth/register",
  "POST /v1/llm-providers",
  "POST /v1/llm-providers/{id}/keys",
  "POST /v1/llm-providers/{id}/keys/{keyId}/rotate",
  "POST /v1/llm-prices/recompute",
  "POST /v1/llm-budgets",
  "POST /v1/automations",
  "POST /v1/automations/{id}/run",
  "POST /v1/automation-runs/{id}/retry",
  "POST /v1/automation-runs/{id}/usage-corrections",
  "POST /v1/workers",
  "POST /v1/workers/{id}/tokens",
  "POST /v1/worker-registration-tokens",
  "POST /v1/worker-registration-tokens/{id}/rotate",
  "POST /v1/workers/register",
  "POST /v1/workers/{id}/runtime/upgrade",
  "POST /v1/worker-rollouts",
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
  "POST /v1/mcp-connections",
  "POST /v1/mcp-discoveries/{id}/shares",
  "POST /v1/oauth-providers",
]);
