import { createRandom } from "../random.ts";
import { planAutomations } from "./automations.ts";
import { createCalendar } from "./calendar.ts";
import { planPeople, planRunners, planTeams } from "./company.ts";
import { planRepository } from "./repository.ts";
import { planRuns } from "./schedule.ts";

export { financeRole, invitedPerson, organization } from "./company.ts";
export { hashBlob } from "./git.ts";
export { type PlannedCommit, type PlannedSync, sampleRepository } from "./repository.ts";
export type { Person, PlannedAutomation, PlannedRun } from "./types.ts";

export type Plan = ReturnType<typeof planDemo>;

/** Plans all content of the demo except ids and secrets. The same seed and time give the same plan. */
export function planDemo(seed: string, now: number) {
  const random = createRandom(seed);
  const calendar = createCalendar(now);
  const automations = planAutomations(calendar);
  const { runs, budget } = planRuns(random.derive("runs"), calendar, automations);
  const firstFailure = runs.find(
    ({ automation, status }) => automation === "invoices" && status === "failed",
  )!;
  return {
    start: calendar.at(0, "09:04"),
    people: planPeople(calendar),
    teams: planTeams(calendar),
    roleAt: calendar.at(0, "09:18"),
    runners: planRunners(calendar),
    automations,
    runs,
    budget,
    repository: planRepository(random.derive("repository"), calendar),
    invitedAt: calendar.at(-2, "15:10"),
    keyAt: calendar.at(1, "11:30"),
    mcpTokenAt: calendar.at(-2, "10:04"),
    connection: {
      clientAt: calendar.at(1, "13:40"),
      connectedAt: calendar.at(2, "09:20"),
      /** When the provider refused to refresh the token. Runs that need the connection fail from then on. */
      lostAt: firstFailure.startedAt! - 300,
      expiresAt: firstFailure.startedAt! + 20 * 60_000,
    },
  };
}
