import type { DemoWorkspace } from "../features/demo/index.ts";
import { readArguments, UsageError } from "./arguments.ts";
import { exit, type Io } from "./io.ts";

const help = `
Usage: signalbox demo [--seed TEXT] [--now TIME] [--json]
       signalbox demo --remove [--force] [--json]

Fills an empty instance with a workspace to look at: a small company that has used Signalbox for a month.
People, teams and roles; automations with runs in every state, their events and costs; workers, LLM providers and
telemetry; templates from a sample repository; connected accounts in every state; the audit log of all of it.
Prints how to sign in and what to try. Refuses an instance that anybody uses.

It makes no outgoing calls: the connector of the repository is disabled, and no mail is sent.

Options:
  --seed TEXT  other figures; the same text gives the same ones (without it: 1)
  --now TIME   ends the 30 days then, such as 2026-11-15T12:00:00Z; at most 30 days ago
  --remove     removes the workspace with everything in it, also what was made there since, and its eight people;
               refuses while anybody else is a member
  --force      with --remove: removes it all the same. The accounts of the other members stay
  --json       as JSON

Examples:
  DATA_DIR=/tmp/signalbox-demo signalbox demo
  signalbox demo --remove
`;

export async function demo(args: string[], io: Io): Promise<number> {
  const { values } = readArguments(args, {
    help,
    options: {
      seed: { type: "string" },
      now: { type: "string" },
      remove: { type: "boolean" },
      force: { type: "boolean" },
      json: { type: "boolean" },
    },
  });
  const json = values.json ?? false;
  if (values.remove) {
    if (values.seed !== undefined || values.now !== undefined)
      throw new UsageError("--remove takes no --seed and no --now.");
    return remove(io, { force: values.force ?? false, json });
  }
  if (values.force) throw new UsageError("--force is for --remove.");
  const now = values.now === undefined ? undefined : Date.parse(values.now);
  if (now !== undefined && Number.isNaN(now))
    throw new UsageError(`--now ${values.now} is not a valid time. Write it as 2026-11-15T12:00:00Z.`);
  const { fillDemo } = await (await import("../app.ts")).loadDemo();
  const platform = await io.platform();
  const workspace = await fillDemo(platform, {
    ...(values.seed === undefined ? {} : { seed: values.seed }),
    ...(now === undefined ? {} : { now }),
    signal: io.signal,
    onProgress: (step) => void (json || io.err(`Adding ${step} …`)),
  });
  const url = platform.config.publicUrl;
  if (json) io.out(JSON.stringify({ url, ...workspace }));
  else for (const line of describe(workspace, url, io.serving)) io.out(line);
  return exit.ok;
}

function describe(
  { organization, people, password, key, counts }: DemoWorkspace,
  url: string,
  serving: boolean,
) {
  const { automations, runs, events, templates, syncs, deliveries } = counts;
  const owner = people[0]!;
  return [
    `${organization.name} (${organization.id}) is ready.`,
    "",
    ...people.map(
      ({ name, email, role, team }) =>
        `  ${role.padEnd(7)}  ${name.padEnd(14)}  ${email.padEnd(24)}  ${team}`,
    ),
    "",
    `  ${automations} automations, ${runs} runs with ${events} events, ${templates} templates, ${syncs} syncs, ${deliveries} webhook deliveries`,
    "",
    "Shown once:",
    `  password of everybody     ${password}`,
    `  API key of ${owner.name}  ${key}`,
    "",
    serving ? "Try it:" : "Try it while the service runs (`signalbox serve`):",
    `  signalbox login --url ${url} --email ${owner.email}`,
    "  signalbox runs list --status failed,skipped",
    "  signalbox automations list",
    `  curl -H 'x-api-key: ${key}' ${url}/v1/automation-budget`,
    `  curl -H 'x-api-key: ${key}' '${url}/v1/automation-usage?groupBy=model'`,
    `  ${url}/docs               the API, to read and try with the key`,
    "",
    "`signalbox demo --remove` removes it again.",
  ];
}

async function remove(io: Io, { force, json }: { force: boolean; json: boolean }): Promise<number> {
  const { loadDemo, removeLeftovers } = await import("../app.ts");
  const { removeDemo } = await loadDemo();
  const removed = await removeDemo(await io.platform(), { force, removeLeftovers });
  if (json) {
    io.out(JSON.stringify(removed));
    return exit.ok;
  }
  const { organization, people, kept, runs } = removed;
  const name = organization.name ?? organization.id;
  io.out(`${name}, ${runs} runs and ${people.length} people are removed.`);
  for (const { email } of kept)
    io.out(`${email} stays: this person belongs to another organization. Delete the account there.`);
  return exit.ok;
}
