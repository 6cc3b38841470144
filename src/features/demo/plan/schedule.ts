import type { Random } from "../random.ts";
import type { Calendar } from "./calendar.ts";
import { planRun, type Slot } from "./runs.ts";
import type { Budget, PlannedAutomation, PlannedRun } from "./types.ts";
import { connectionLost, trackerDown, workProfiles } from "./work.ts";

const minuteMs = 60_000;
const dollar = 1_000_000;

/** Plans all runs of the 30 days, in the order of creation, and the budget that one of them uses up. */
export function planRuns(random: Random, calendar: Calendar, automations: PlannedAutomation[]) {
  const slots = planSlots(random, calendar, automations);
  addIncidents(calendar, slots);
  const planSlot = (slot: Slot) =>
    planRun(random.derive(`${slot.automation.key} ${slot.createdAt}`), slot, calendar.now);
  const runs = new Map(slots.map((slot) => [slot, planSlot(slot)]));
  const budget = planBudget(calendar, runs);
  for (const slot of slots) {
    const { createdAt } = runs.get(slot)!;
    if (createdAt <= budget.spentAt || createdAt >= budget.raisedAt) continue;
    slot.outcome = { kind: "over_budget" };
    runs.set(slot, planSlot(slot));
  }
  const ordered = slots.toSorted((a, b) => runs.get(a)!.createdAt - runs.get(b)!.createdAt);
  const result = ordered.map((slot) => ({
    ...runs.get(slot)!,
    retryOf: slot.retryOf ? ordered.indexOf(slot.retryOf) : null,
  }));
  const { spentAt: _, ...rest } = budget;
  const maxSpend = Math.max(...spendByMonth(result).values());
  // The raised budget is high enough that no further runs are skipped.
  return {
    runs: result,
    budget: { ...rest, micros: Math.ceil((maxSpend * 1.6) / (50 * dollar)) * 50 * dollar },
  };
}

function planSlots(random: Random, calendar: Calendar, automations: PlannedAutomation[]): Slot[] {
  const { at, now } = calendar;
  const delays = random.derive("delays");
  const scheduled = automations.flatMap((automation) => {
    const { schedule, at: from } = automation.revisions[0]!;
    const maxDuration = (workProfiles[automation.key]!.minutes[1] + 3) * minuteMs;
    const until = Math.min(automation.endedAt ?? now, now - maxDuration);
    return calendar
      .occurrences(schedule, from)
      .filter((occurrenceAt) => occurrenceAt < until)
      .map((occurrenceAt): Slot => {
        return { automation, occurrenceAt, createdAt: occurrenceAt + delays.int(120, 980) };
      });
  });
  const createManualSlot = (
    key: string,
    requestedBy: string,
    createdAt: number,
    more: Partial<Slot> = {},
  ): Slot => {
    const automation = automations.find((one) => one.key === key)!;
    return { automation, requestedBy, createdAt, occurrenceAt: null, ...more };
  };
  const seconds = () => delays.int(0, 59_000);
  // Manual runs, at hours when no scheduled run of either automation is due.
  const manualRuns = Array.from({ length: delays.int(2, 9) }, () => {
    const [key, person] = delays.pick([["support", "grace"] as const, ["advisories", "bruno"] as const]);
    return createManualSlot(
      key,
      person,
      at(delays.int(3, 11), `${delays.int(10, 15)}:${delays.int(10, 59)}`) + seconds(),
    );
  });
  return [
    ...scheduled,
    ...manualRuns,
    createManualSlot("evaluation", "dev", at(3, "16:20") + seconds(), { runner: "laptop" }),
    createManualSlot("release", "chiara", at(5, "10:41") + seconds()),
    createManualSlot("release", "chiara", at(9, "11:03") + seconds(), {
      outcome: { kind: "cancelled", by: "chiara", afterMs: delays.int(90_000, 170_000) },
    }),
    createManualSlot("support", "grace", at(10, "13:22") + seconds()),
    createManualSlot("flaky", "felix", now - 7 * minuteMs - seconds(), {
      outcome: { kind: "running" },
      runner: "build-1",
    }),
    createManualSlot("release", "chiara", now - 1.5 * minuteMs, { outcome: { kind: "queued" } }),
  ];
}

/** The day of the timed-out run. The budget must not be used up on the same day. */
const timedOutDay = 8;

function addIncidents({ at }: Calendar, slots: Slot[]): void {
  const findScheduled = (key: string) =>
    slots.filter(({ automation, occurrenceAt }) => automation.key === key && occurrenceAt);
  const addRetry = (slot: Slot, requestedBy: string, createdAt: number) =>
    slots.push({ automation: slot.automation, createdAt, occurrenceAt: null, requestedBy, retryOf: slot });

  const missed = findScheduled("advisories").find(
    ({ occurrenceAt }) => new Date(occurrenceAt!).getUTCDay() === 6,
  )!;
  missed.outcome = { kind: "missed", foundAt: missed.occurrenceAt! + 101 * minuteMs };

  findScheduled("dependencies")[2]!.outcome = { kind: "lease_lost" };

  const slow = findScheduled("flaky").findLast(({ createdAt }) => createdAt < at(timedOutDay, "09:00"))!;
  slow.outcome = { kind: "timed_out" };
  addRetry(slow, "felix", at(timedOutDay, "09:31") + 17_000);

  const refused = findScheduled("triage").find(({ createdAt }) => createdAt > at(6, "11:00"))!;
  refused.outcome = { kind: "failed", failure: trackerDown };
  addRetry(refused, "chiara", refused.createdAt + 25 * minuteMs);

  for (const slot of findScheduled("invoices"))
    if (slot.createdAt > at(-3, "12:00")) slot.outcome = { kind: "failed", failure: connectionLost };
}

const formatMonth = (time: number) => new Date(time).toISOString().slice(0, 7);

const listUsage = (runs: Iterable<PlannedRun>) =>
  [...runs].flatMap(({ attempts }) => attempts.flatMap(({ usage }) => usage));

function spendByMonth(runs: Iterable<PlannedRun>): Map<string, number> {
  const months = new Map<string, number>();
  for (const { at, costMicros } of listUsage(runs))
    months.set(formatMonth(at), (months.get(formatMonth(at)) ?? 0) + costMicros);
  return months;
}

/** Chooses a round budget that the last report of a nightly evaluation uses up. Runs are skipped until it is raised. */
function planBudget(
  calendar: Calendar,
  runs: ReadonlyMap<Slot, PlannedRun>,
): Omit<Budget, "micros"> & { spentAt: number } {
  const { at, nextMorning } = calendar;
  const reports = listUsage(runs.values());
  const sumCosts = (month: string, until: number) =>
    reports
      .filter((report) => formatMonth(report.at) === month && report.at <= until)
      .reduce((total, { costMicros }) => total + costMicros, 0);
  const lost = [...runs.keys()].find(({ outcome }) => outcome?.kind === "lease_lost")!.createdAt;
  const excluded = [at(timedOutDay, "09:00"), nextMorning(lost)];
  const nights = [...runs.values()].filter(
    ({ automation, trigger, finishedAt }) =>
      automation === "evaluation" &&
      trigger === "schedule" &&
      nextMorning(finishedAt!) - finishedAt! < 12 * 60 * minuteMs &&
      nextMorning(finishedAt!) >= at(3, "09:00") &&
      nextMorning(finishedAt!) <= at(-3, "09:00") &&
      !excluded.includes(nextMorning(finishedAt!)),
  );
  const candidates = nights.flatMap(({ finishedAt, attempts }) => {
    const spentAt = finishedAt!;
    const spentMonth = formatMonth(spentAt);
    const after = sumCosts(spentMonth, spentAt);
    const before = after - attempts.at(-1)!.usage.at(-1)!.costMicros;
    const firstMicros = Math.floor(after / (5 * dollar)) * 5 * dollar;
    const earlier = reports
      .filter((report) => formatMonth(report.at) < spentMonth)
      .map((report) => formatMonth(report.at));
    const isFirst = [...new Set(earlier)].every((month) => sumCosts(month, spentAt) < firstMicros);
    return firstMicros > before && isFirst ? [{ spentAt, spentMonth, firstMicros }] : [];
  });
  const chosen = candidates.findLast(({ firstMicros }) => firstMicros >= 20 * dollar) ?? candidates.at(-1)!;
  const raisedAt = nextMorning(chosen.spentAt) - 48 * minuteMs;
  return { ...chosen, setAt: at(1, "16:05"), raisedAt };
}
