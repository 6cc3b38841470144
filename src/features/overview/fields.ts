import type { FieldGuide } from "../../platform/http/index.ts";

const day = 86_400_000;
const start = 1_793_484_000_000;
const counts = { queued: 0, running: 0, cancelled: 0 };
const monday = { runs: 54, succeeded: 48, failed: 4, skipped: 2, ...counts, costMicros: 7_410_000 };
const tuesday = { runs: 58, succeeded: 48, failed: 7, skipped: 3, ...counts, costMicros: 7_930_000 };
const period = { runs: 112, succeeded: 96, failed: 11, skipped: 5, ...counts, costMicros: 15_340_000 };
const before = { runs: 97, succeeded: 93, failed: 4, skipped: 0, ...counts, costMicros: 13_020_000 };

const automation = "aut_01jz8q2d9xf4vvh0tbq8k3m5na";
const run = "run_01jz8q2d9xf4vvh0tbq8k3m5na";
const member = "mem_01jz8q2d9xf4vvh0tbq8k3m5na";

const attentionItem = {
  key: `automation_failed ${automation}`,
  kind: "automation_failed",
  severity: "error",
  subject: {
    ...{ type: "automation", id: automation, name: "Nightly dependency audit" },
    ...{ parentId: null, parentName: null },
  },
  owner: { memberId: member, name: "Ada Lovelace" },
  related: { type: "run", id: run },
  code: "lease_lost",
  message: "Its runner build-machine-2 went silent in both attempts.",
  ...{ count: 2, since: start, dueAt: null, used: null, limit: null },
};

/** Fields of the overview. */
export const fields: FieldGuide = {
  OverviewRuns: [
    "A whole example.",
    {
      ...{ timeZone: "Europe/Berlin", interval: "day", currency: "USD" },
      ...{ runScope: "organization", costScope: "organization" },
      period: { start, end: start + 2 * day, ...period, unpricedRuns: 1, medianDurationMs: 134_020 },
      before: { start: start - 2 * day, end: start, ...before, unpricedRuns: 0, medianDurationMs: 120_480 },
      items: [
        { start, end: start + day, local: "2026-11-01T00:00:00+01:00", ...monday },
        { start: start + day, end: start + 2 * day, local: "2026-11-02T00:00:00+01:00", ...tuesday },
      ],
      reasons: [{ status: "failed", reason: "lease_lost", runs: 9, runsBefore: 3 }],
      month: {
        ...{
          month: "2026-11",
          endsAt: 1_796_083_200_000,
          spentMicros: 15_340_000,
          budgetMicros: 250_000_000,
        },
        ...{ forecastMicros: 221_400_000, forecastDays: 7, budgetReachedAt: null },
      },
    },
  ],
  "OverviewRuns.timeZone": ["The time zone whose days and hours are counted.", "Europe/Berlin"],
  "OverviewRuns.interval": ["Whether the items are days or hours."],
  "OverviewRuns.period": ["The figures of the whole period."],
  "getV1OverviewRuns.timeZone": ["The time zone whose days and hours are counted.", "Europe/Berlin"],
  "getV1OverviewCounts.counts": ["The counts."],
  "OverviewCounts.runs.queued": ["Runs that wait for a runner.", 1],
  "OverviewCounts.runs.running": ["Runs that are running.", 3],
  "OverviewCounts.automations.active": ["Automations whose schedule is active.", 12],
  "OverviewCounts.automations.inactive": ["Automations whose schedule is not active.", 2],
  "OverviewCounts.workers.total": ["All workers.", 5],
  Attention: ["A whole example.", { items: [attentionItem], errors: 1, warnings: 0, isTruncated: false }],
  RecentItems: [
    "A whole example.",
    {
      items: [
        {
          ...{ type: "change", id: "aud_01jz8q2d9xf4vvh0tbq8k3m5na", at: start, action: "team.changed" },
          ...{ actorName: "Ada Lovelace", actorMemberId: member },
          target: { type: "team", id: "team_01jz8q2d9xf4vvh0tbq8k3m5na", name: "Platform" },
        },
        {
          ...{ type: "run", id: run, at: start - 60_000, automationId: automation, status: "succeeded" },
          ...{ automationName: "Weekly release notes", reason: null, memberName: "Ada Lovelace" },
        },
      ],
    },
  ],
  "RecentChange.actorMemberId": ["The member who did it. Null for a directory.", member],
  "ChecklistStep.done": ["Whether the step is done.", true],
};
