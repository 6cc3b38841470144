import { describe, expect, test } from "vitest";
import { planDemo } from "./index.ts";

describe("the plan", () => {
  const now = Date.UTC(2026, 10, 13, 15, 20);

  test("is the same for the same seed and time, and differs for another seed", () => {
    expect(planDemo("1", now)).toEqual(planDemo("1", now));
    const findCost = (seed: string) =>
      planDemo(seed, now)
        .runs.flatMap(({ attempts }) => attempts.flatMap(({ usage }) => usage))
        .reduce((sum, { costMicros }) => sum + costMicros, 0);
    expect(new Set(["1", "2", "3", "four"].map(findCost)).size).toBe(4);
    const countRuns = (seed: string) => planDemo(seed, now).runs.length;
    expect(new Set(["1", "2", "3", "four", "5", "6"].map(countRuns)).size).toBeGreaterThan(2);
  });

  test("has a repository whose commit ids are those that git computes", () => {
    const { commits } = planDemo("1", Date.UTC(2026, 10, 15, 18)).repository;
    // The id comes from a repository that git made with these files, authors and times.
    expect(commits.at(-1)!.id).toBe("9cb8bfd15fb975b5341ebac4b3513ddd492accda");
  });

  test("is consistent at any time of the week, month and year", () => {
    for (let i = 0; i < 16; i++) {
      // The steps move through weekdays, hours and days of the month.
      const at = Date.UTC(2026, 9, 1) + i * 151 * 3600_000 + i * 60_000;
      const { runs, budget, start, fleet, telemetry, limits } = planDemo(String(i), at);
      const problems: string[] = [];
      const found = new Set(runs.map(({ status, reason }) => `${status} ${reason}`));
      for (const wanted of [
        "queued null",
        "running null",
        "succeeded null",
        "failed reported",
        "failed timed_out",
        "cancelled requested",
        "skipped monthly_budget_exceeded",
        "skipped missed",
      ])
        if (!found.has(wanted)) problems.push(`no run is ${wanted}`);
      if (!runs.some(({ attempts }) => attempts[0]?.outcome === "lease_lost"))
        problems.push("no lease is lost");
      if (!runs.some(({ lateReports }) => lateReports.length)) problems.push("no report is late");
      if (!runs.some(({ retryOf }) => retryOf !== null)) problems.push("no run repeats another");
      for (const [index, run] of runs.entries()) {
        const times = [run.createdAt, run.startedAt, run.finishedAt].filter((time) => time !== null);
        if (times.some((time, place) => time > at || time < (times[place - 1] ?? start)))
          problems.push(`run ${index} (${run.automation}) has times that do not follow`);
        for (const { events } of run.attempts)
          if (events.some(({ sequence, at: time }, place) => sequence !== place || time > at))
            problems.push(`run ${index} has events that do not follow`);
      }
      for (const { name, state, activity } of fleet.workers) {
        if (activity.some(({ at: time }, place) => time > at || time < (activity[place - 1]?.at ?? start)))
          problems.push(`the timeline of ${name} is not in order`);
        const last = activity.findLast(({ type }) => type === "state_changed")?.detail.to;
        if ((last ?? "never_connected") !== state) problems.push(`the timeline of ${name} ends as ${last}`);
      }
      if (telemetry.some(({ at: time }) => time > at || time < start))
        problems.push("telemetry is not from the 30 days");
      if (limits.some(({ limitMicros }) => limitMicros <= 0)) problems.push("a limit is 0");
      // A run must be skipped exactly when the month's cost had reached the budget at that time.
      const reports = runs.flatMap(({ attempts }) => attempts.flatMap(({ usage }) => usage));
      const formatMonth = (time: number) => new Date(time).toISOString().slice(0, 7);
      for (const { status, reason, createdAt } of runs) {
        if (createdAt < budget.setAt) continue;
        const limit = createdAt < budget.raisedAt ? budget.firstMicros : budget.micros;
        const spent = reports
          .filter((report) => report.at <= createdAt && formatMonth(report.at) === formatMonth(createdAt))
          .reduce((sum, { costMicros }) => sum + costMicros, 0);
        const skipped = status === "skipped" && reason === "monthly_budget_exceeded";
        if (skipped !== spent >= limit)
          problems.push(
            `a run of ${new Date(createdAt).toISOString()} is ${status} with ${spent} of ${limit} spent`,
          );
      }
      expect({ at: new Date(at).toISOString(), problems }).toEqual({
        at: new Date(at).toISOString(),
        problems: [],
      });
    }
  });
});
