import type { Db } from "../../../platform/db/index.ts";
import { newIdAt } from "../../../platform/ids.ts";
import { defaultSettings, digestReport, findNextOccurrence, formatEvent } from "../../automations/index.ts";
import type { Plan, PlannedRun } from "../plan/index.ts";
import {
  insertRows,
  listRevisionResources,
  listRunNumbers,
  type RevisionResources,
  setRevisionResources,
} from "../store.ts";
import type { Ids } from "./ids.ts";

const formatDate = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
/** The delay between an event on the runner and its receipt. */
const transferMs = 40;
const runBudgetMicros = 15_000_000;

/** The model, with the id of its provider. */
export const toModel = ({ providerId, modelId }: { providerId: string; modelId: string }, ids: Ids) => ({
  providerId: ids.provider(providerId),
  modelId,
});

const findProviderId = (model: string, ids: Ids): string => ids.provider(model.split("-")[0]!);

export const toSettings = (monthlyBudgetMicros: number) => ({
  ...defaultSettings,
  monthlyBudgetMicros,
  runBudgetMicros,
});

export async function writeAutomations(tx: Db, plan: Plan, ids: Ids): Promise<void> {
  const org = ids.organization;
  const { automations, budget } = plan;
  await insertRows(
    tx,
    org,
    "automations",
    automations.map(({ key, owner, status, endedAt, revisions }) => {
      const { schedule } = revisions.at(-1)!;
      // Uses the real clock: an occurrence in the past would be caught up at once.
      const next = status === "active" ? (findNextOccurrence(schedule, Date.now()) ?? null) : null;
      return {
        ...{ id: ids.automation(key), member_id: ids.member(owner), status, revision: revisions.length },
        next_run_at: formatDate(next),
        created_at: formatDate(revisions[0]!.at),
        updated_at: formatDate(endedAt ?? revisions.at(-1)!.at),
      };
    }),
  );
  await insertRows(
    tx,
    org,
    "automation_revisions",
    automations.flatMap(({ key, owner, revisions }) =>
      revisions.map(({ at, name, instructions, schedule, model, maxRuntimeSeconds }, index) => ({
        ...{ automation_id: ids.automation(key), revision: index + 1, name, instructions, schedule },
        ...{
          model_provider_id: toModel(model, ids).providerId,
          model_id: model.modelId,
          max_runtime_seconds: maxRuntimeSeconds,
        },
        ...{ created_by: ids.member(owner), created_at: formatDate(at) },
      })),
    ),
  );
  await insertRows(tx, org, "automation_settings", [
    {
      run_budget_micros: runBudgetMicros,
      updated_at: formatDate(budget.raisedAt),
    },
  ]);
  await insertRows(tx, org, "llm_budgets", [
    {
      ...{ id: newIdAt("lbg", budget.setAt), subject_kind: "organization", period: "month", mode: "budget" },
      ...{ limit_micros: budget.micros, warning_percent: defaultSettings.budgetWarningPercent },
      ...{ created_by: ids.member("ada"), created_at: formatDate(budget.setAt) },
      updated_at: formatDate(budget.raisedAt),
    },
  ]);
  await insertRows(tx, org, "llm_spend", listSpend(plan, ids));
}

/** What the organization, each team and member, and each provider cost on each day. */
function listSpend({ runs, people }: Plan, ids: Ids) {
  const teams = new Map(people.map(({ key, team }) => [key, ids.team(team)]));
  const sums = new Map<string, { subject_id: string; day: string; cost_micros: number }>();
  for (const { attempts, owner } of runs) {
    for (const { at, model, costMicros } of attempts.flatMap(({ usage }) => usage)) {
      const day = new Date(at).toISOString().slice(0, 10);
      const own = [ids.member(owner), teams.get(owner)!, findProviderId(model, ids)];
      for (const subject_id of [ids.organization, ...own]) {
        const sum = sums.get(`${subject_id} ${day}`) ?? { subject_id, day, cost_micros: 0 };
        sum.cost_micros += costMicros;
        sums.set(`${subject_id} ${day}`, sum);
      }
    }
  }
  return [...sums.values()];
}

/** Must run after the templates and the connection are written. */
export async function writeResources(tx: Db, { automations }: Plan, ids: Ids): Promise<RevisionResources[]> {
  const org = ids.organization;
  for (const { key, templates, isConnected } of automations)
    await setRevisionResources(tx, org, ids.automation(key), templates, isConnected ? ids.connection : null);
  return listRevisionResources(tx, org);
}

export async function writeRuns(tx: Db, { runs }: Plan, ids: Ids): Promise<void> {
  const org = ids.organization;
  await insertRows(
    tx,
    org,
    "automation_runs",
    runs.map((run, index) => runRow(run, index, ids)),
  );
  await insertRows(
    tx,
    org,
    "automation_run_attempts",
    runs.flatMap(({ attempts }, index) =>
      attempts.map(({ runner, startedAt, endedAt, outcome }, place) => ({
        ...{ run_id: ids.runs[index], attempt: place + 1, holder: ids.runner(runner), outcome },
        runner_name: `${runner === "laptop" ? "dev-laptop" : runner}.northwind.example`,
        ...{ started_at: formatDate(startedAt), ended_at: formatDate(endedAt) },
      })),
    ),
  );
  await insertRows(
    tx,
    org,
    "automation_usage",
    runs.flatMap(({ attempts, automation, owner }, index) =>
      attempts.flatMap(({ usage }, place) =>
        usage.map(({ report, at, model, inputTokens, outputTokens, costMicros }) => ({
          ...{
            run_id: ids.runs[index],
            attempt: place + 1,
            report,
            automation_id: ids.automation(automation),
          },
          ...{ member_id: ids.member(owner), model, input_tokens: inputTokens, output_tokens: outputTokens },
          ...{ provider: findProviderId(model, ids), cost_micros: costMicros, reported_at: formatDate(at) },
        })),
      ),
    ),
  );
  const numbers = new Map((await listRunNumbers(tx, org)).map(({ id, no }) => [id, no]));
  await insertRows(
    tx,
    org,
    "automation_events",
    runs.flatMap(({ attempts }, index) =>
      attempts.flatMap(({ events }, place) =>
        events.map(({ sequence, type, at, payload }) => ({
          ...{ run_no: numbers.get(ids.runs[index]!), attempt: place + 1, is_terminal: type === "terminal" },
          ...{ previous_sequence: sequence - 1, last_sequence: sequence },
          events: `[${formatEvent(type, at, JSON.stringify(payload)).text}]`,
          received_at: formatDate(at + transferMs),
        })),
      ),
    ),
  );
  await insertRows(
    tx,
    org,
    "automation_late_reports",
    runs.flatMap((run, index) => lateRows(run, index, ids)),
  );
}

function runRow(run: PlannedRun, index: number, ids: Ids) {
  const { completion, cancel, status } = run;
  const last = run.attempts.at(-1);
  return {
    ...{ id: ids.runs[index], automation_id: ids.automation(run.automation), revision: run.revision },
    ...{
      member_id: ids.member(run.owner),
      trigger: run.trigger,
      occurrence_at: formatDate(run.occurrenceAt),
    },
    retry_of: run.retryOf === null ? null : ids.runs[run.retryOf],
    ...{ status, reason: run.reason, reason_detail: run.reasonDetail, fenced: run.fenced },
    attempt: run.attempts.length,
    holder: last ? ids.runner(last.runner) : null,
    // No runner renews the lease, so it lasts until the deadline of the run.
    lease_expires_at: status === "running" ? formatDate(run.deadlineAt) : null,
    deadline_at: formatDate(run.deadlineAt),
    ...{ cancel_requested_at: formatDate(cancel?.at ?? null), cancel_reason: cancel?.reason ?? null },
    completion_digest: completion ? digestReport(completion) : null,
    ...{ session_id: completion?.sessionId ?? null, result_summary: completion?.resultSummary ?? null },
    error_message: completion?.error?.message ?? null,
    error_retryable: completion?.error?.retryable ?? null,
    ...{ created_at: formatDate(run.createdAt), queued_at: formatDate(run.queuedAt) },
    ...{ started_at: formatDate(run.startedAt), finished_at: formatDate(run.finishedAt) },
  };
}

function lateRows({ lateReports, attempts }: PlannedRun, index: number, ids: Ids) {
  return lateReports.map(({ receivedAt, event: { sequence, type, at, payload } }) => {
    const body = { attempt: 1, sequence, payload, createdAt: at, type };
    const reporter = ids.runner(attempts[0]!.runner);
    return {
      ...{
        id: newIdAt("late", receivedAt),
        run_id: ids.runs[index],
        attempt: 1,
        sequence,
        kind: "event",
        reporter,
        body,
      },
      ...{ digest: digestReport({ kind: "event", reporter, body }), received_at: formatDate(receivedAt) },
    };
  });
}
