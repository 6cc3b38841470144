import type { Automation } from "../../automations/index.ts";
import { type Calendar, timezone } from "./calendar.ts";
import type { PlannedAutomation, Revision } from "./types.ts";

/** The price of one token, in micros. */
export const prices: Record<string, { input: number; output: number }> = {
  "acme-large-2": { input: 3, output: 16 },
  "acme-large-3": { input: 3, output: 15 },
  "acme-small-3": { input: 1, output: 5 },
  "globex-code-2": { input: 2, output: 8 },
};

const model = (modelId: string) => ({ providerId: modelId.split("-")[0]!, modelId });
const cron = (expression: string): Automation["schedule"] => ({ kind: "cron", expression, timezone });
const weekly = (daysOfWeek: number[], hour: number, minute: number): Automation["schedule"] => ({
  ...{ kind: "weekly", daysOfWeek, hour, minute, timezone },
});
const daily = (hour: number, minute: number): Automation["schedule"] => ({
  ...{ kind: "daily", hour, minute, timezone },
});

const triage = `Look at the issues that were opened since the last run.
For each one: find out whether it is a duplicate, label it, and ask for what is missing.
Never close an issue. Write a summary with one line per issue.`;

const resources: Record<string, Partial<Pick<PlannedAutomation, "templates" | "isConnected">>> = {
  triage: { templates: ["issue-triage"] },
  invoices: { isConnected: true },
  release: { templates: ["release-notes"] },
};

export function planAutomations(calendar: Calendar): PlannedAutomation[] {
  const { at } = calendar;
  const automation = (
    key: string,
    owner: string,
    first: Omit<Revision, "maxRuntimeSeconds"> & { maxRuntimeSeconds?: number },
    ...changes: (Partial<Revision> & { at: number })[]
  ): PlannedAutomation => {
    const revisions: Revision[] = [{ maxRuntimeSeconds: 3600, ...first }];
    for (const change of changes) revisions.push({ ...revisions.at(-1)!, ...change });
    const { templates = [], isConnected = false } = resources[key] ?? {};
    return { key, owner, status: "active", endedAt: undefined, revisions, templates, isConnected };
  };
  return [
    automation(
      "triage",
      "chiara",
      {
        at: at(0, "10:35"),
        name: "Issue triage",
        instructions: triage,
        schedule: cron("0 8-18/2 * * mon-fri"),
        model: model("acme-small-3"),
        maxRuntimeSeconds: 1800,
      },
      {
        at: at(4, "11:20"),
        instructions: `${triage}\nUse the label "needs version" when the version is not named.`,
      },
    ),
    {
      ...automation("changelog", "chiara", {
        at: at(0, "11:05"),
        name: "Changelog bot",
        instructions: "Add yesterday's merged pull requests to CHANGELOG.md and open a pull request.",
        schedule: weekly([1, 2, 3, 4, 5], 9, 30),
        model: model("acme-small-3"),
      }),
      status: "archived",
      endedAt: at(5, "15:02"),
    },
    automation(
      "evaluation",
      "dev",
      {
        at: at(0, "15:40"),
        name: "Nightly evaluation",
        instructions: `Run the grasping suite (420 cases) on the newest checkpoint of main.
Compare the score with the last seven nights. If it fell by more than one point, name the cases that got worse.`,
        schedule: cron("30 1 * * tue-sat"),
        model: model("acme-large-2"),
        maxRuntimeSeconds: 7200,
      },
      { at: at(7, "10:12"), model: model("acme-large-3") },
    ),
    automation("dependencies", "felix", {
      at: at(1, "09:48"),
      name: "Dependency updates",
      instructions: `Update the dependencies of every repository in the list.
Minor and patch versions: one pull request per repository, with the changelogs in its text.
Major versions: open an issue and do not change anything.`,
      schedule: weekly([1, 4], 5, 30),
      model: model("globex-code-2"),
      maxRuntimeSeconds: 5400,
    }),
    automation("advisories", "bruno", {
      at: at(1, "10:20"),
      name: "Security advisories",
      instructions:
        "Read the new advisories for everything in our lock files. Report what concerns us, most serious first.",
      schedule: daily(6, 0),
      model: model("acme-small-3"),
    }),
    automation(
      "flaky",
      "felix",
      {
        at: at(1, "14:15"),
        name: "Flaky test hunt",
        instructions:
          "Find tests that both passed and failed on the same commit yesterday. Run each 50 times and say how often it fails.",
        schedule: daily(3, 0),
        model: model("globex-code-2"),
      },
      { at: at(8, "09:26"), maxRuntimeSeconds: 14_400 },
    ),
    {
      ...automation("links", "elif", {
        at: at(1, "15:33"),
        name: "Documentation links",
        instructions:
          "Follow every link of the documentation. List those that lead nowhere, with the page they are on.",
        schedule: weekly([2, 5], 4, 10),
        model: model("acme-small-3"),
      }),
      status: "inactive",
      endedAt: at(9, "16:44"),
    },
    automation("invoices", "hana", {
      at: at(2, "09:31"),
      name: "Invoice check",
      instructions: `Compare the invoices of the day before with the orders in the accounting system.
Report amounts that differ by more than 1 %, and suppliers that are new.`,
      schedule: weekly([1, 2, 3, 4, 5], 7, 15),
      model: model("acme-small-3"),
    }),
    automation("support", "grace", {
      at: at(2, "13:08"),
      name: "Support inbox summary",
      instructions: "Summarize what customers wrote since the last run. Put robots that stand still first.",
      schedule: cron("45 8,16 * * mon-fri"),
      model: model("acme-small-3"),
    }),
    automation("release", "chiara", {
      at: at(4, "14:50"),
      name: "Release notes",
      instructions: `Write the release notes for everything merged since the last tag, with the template release-notes.
Breaking changes come first, each with what to do about it.`,
      schedule: weekly([5], 14, 0),
      model: model("acme-large-3"),
    }),
  ];
}
