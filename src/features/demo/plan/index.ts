import { createRandom } from "../random.ts";
import { planAutomations } from "./automations.ts";
import { createCalendar } from "./calendar.ts";
import { planPeople, planRunners, planTeams } from "./company.ts";
import { planConnections } from "./connections.ts";
import { planDiscoveries } from "./discoveries.ts";
import { planMcp } from "./mcp/index.ts";
import { planLimits, planPrices, planProviders } from "./providers.ts";
import { planRepository } from "./repository.ts";
import { planRuns } from "./schedule.ts";
import { planTelemetry } from "./telemetry.ts";
import { planWorkers } from "./workers.ts";

export { financeRole, invitedPerson, organization, unansweredInvitations } from "./company.ts";
export type { PlannedConnection } from "./connections.ts";
export { hashBlob } from "./git.ts";
export type { PlannedServer, PlannedTool } from "./mcp/index.ts";
export type { PlannedLimit } from "./providers.ts";
export { type PlannedCommit, type PlannedSync, sampleRepository } from "./repository.ts";
export type { Person, PlannedAutomation, PlannedRun } from "./types.ts";
export { type PlannedWorker, workerVersions } from "./workers.ts";

export type Plan = ReturnType<typeof planDemo>;

/** Plans all content of the demo except ids and secrets. The same seed and time give the same plan. */
export function planDemo(seed: string, now: number) {
  const random = createRandom(seed);
  const calendar = createCalendar(now);
  const people = planPeople(calendar);
  const automations = planAutomations(calendar);
  const { runs, budget } = planRuns(random.derive("runs"), calendar, automations);
  const firstFailure = runs.find(
    ({ automation, status }) => automation === "invoices" && status === "failed",
  )!;
  return {
    start: calendar.at(0, "09:04"),
    people,
    teams: planTeams(calendar),
    roleAt: calendar.at(0, "09:18"),
    runners: planRunners(calendar),
    automations,
    runs,
    budget,
    fleet: planWorkers(calendar, runs),
    providers: planProviders(random.derive("providers"), calendar),
    prices: planPrices(calendar),
    limits: planLimits(calendar, runs, (key) => people.find((one) => one.key === key)!.team),
    telemetry: planTelemetry(random.derive("telemetry"), calendar, automations, runs),
    connections: planConnections(calendar),
    discoveries: planDiscoveries(calendar),
    mcp: planMcp(random.derive("mcp"), calendar),
    repository: planRepository(random.derive("repository"), calendar),
    unansweredAt: { expired: calendar.at(5, "10:20"), cancelled: calendar.at(-4, "11:05") },
    invitedAt: calendar.at(-2, "15:10"),
    keyAt: calendar.at(1, "11:30"),
    reportKeyAt: calendar.at(7, "15:14"),
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
