/** Calls whose text is not written in the program. `calls` is how many of them the file has. */
export const notAnalysed = [
  {
    file: "src/features/demo/store.ts",
    calls: 1,
    reason:
      "The rows name the columns. It returns no rows, and the tests of the demo run it for every table.",
  },
  { file: "src/platform/db/embedded.ts", calls: 1, reason: "It is CHECKPOINT, which returns no rows." },
  { file: "src/platform/db/migrate.ts", calls: 2, reason: "It runs the migrations, which return no rows." },
  {
    file: "src/platform/snapshot/store.ts",
    calls: 1,
    reason:
      "The texts name all tables and columns of the catalogue. The tests of backups run them for every table.",
  },
  {
    file: "src/platform/repair/store.ts",
    calls: 2,
    reason: "The texts name indexes and sequences of the catalogue. The tests of `doctor --fix` run them.",
  },
  {
    file: "src/platform/jobs/store.ts",
    calls: 2,
    reason: "It puts the conditions of all jobs together. Each of them is analysed.",
  },
  { file: "src/platform/jobs/index.ts", calls: 4, reason: "They use the tables of the job queue." },
] as const;

/** Columns that can be null, but not in the rows that these files select. */
export const neverNull = [
  {
    file: "src/platform/mail/store.ts",
    column: "mails.text",
    reason: "A queued mail has its text; the update that marks it as sent removes the text.",
  },
  {
    file: "src/platform/http/store.ts",
    column: "idempotency_keys.reply",
    reason: "The transaction that takes a key also stores the reply.",
  },
  {
    file: "src/platform/reseal/store.ts",
    column: "*",
    reason: "The condition is that the value is not null.",
  },
  {
    file: "src/features/auth/sessions/store.ts",
    column: "sessions.reauthenticated_at",
    reason: "The statement sets it.",
  },
  {
    file: "src/features/automations/usage/store.ts",
    column: "automation_usage.reported",
    reason: "A held report is inserted with the figures that were sent.",
  },
  {
    file: "src/features/automations/run-credentials/store.ts",
    column: "automation_runs.holder",
    reason: "The condition compares it with runners and members.",
  },
  {
    file: "src/features/automations/runs/store.ts",
    column: "automation_runs.lease_expires_at",
    reason: "The statement sets it, or the caller has locked the run and renewed its lease.",
  },
  {
    file: "src/features/automations/runners/store.ts",
    column: "automation_runs.lease_expires_at",
    reason: "The condition compares it with the current time.",
  },
  {
    file: "src/features/automations/store.ts",
    column: "automations.next_run_at",
    reason: "The condition compares it with the current time.",
  },
  {
    file: "src/features/templates/files/store.ts",
    column: "templates.path",
    reason: "A template of a connector has a path.",
  },
  {
    file: "src/features/oauth-providers/tokens/store.ts",
    column: "oauth_tokens.refresh_token",
    reason: "The condition is that it is not null.",
  },
  {
    file: "src/features/oauth-providers/tokens/store.ts",
    column: "oauth_tokens.consumed_hash",
    reason: "The statement sets it to the hash of the refresh token, which is stored with the token.",
  },
  {
    file: "src/features/overview/recent/store.ts",
    column: "automation_runs.finished_at",
    reason: "The condition is that it is not null.",
  },
] as const;

/** Outer joins whose rows without a match are removed before anybody reads their columns. */
export const removedJoins = [
  { file: "src/platform/db/scan.ts", alias: "page", reason: "`listSource` removes rows without an id." },
] as const;
