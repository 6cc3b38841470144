import type { Random } from "../random.ts";
import type { Calendar } from "./calendar.ts";
import { hashCommit } from "./git.ts";
import { commits } from "./sample-files.ts";

const host = "git.northwind.example";

/** The host does not exist. The connector is disabled, so nothing is fetched from it. */
export const sampleRepository = {
  name: "Agent templates",
  codehost: "forgejo",
  baseUrl: `https://${host}`,
  repository: "northwind/agent-templates",
  cloneUrl: `https://${host}/northwind/agent-templates.git`,
  ref: "refs/heads/main",
  folder: "templates",
} as const;

export interface PlannedCommit {
  id: string;
  author: { name: string; email: string };
  message: string;
  at: number;
  /** The whole content of the repository, by path. */
  files: ReadonlyMap<string, string>;
}

export interface PlannedSync {
  cause: "push" | "created" | "manual";
  commit: PlannedCommit;
  createdAt: number;
  startedAt: number;
  finishedAt: number;
  attempt: number;
  requestedBy: string | null;
  /** Why the sync failed. Undefined when it succeeded. */
  error: string | undefined;
}

export interface PlannedDelivery {
  deliveryId: string;
  event: "push" | "issues";
  action: string | null;
  ref: string | null;
  head: string | null;
  outcome: "accepted" | "ignored" | "invalid";
  reason: string | null;
  body: string;
  receivedAt: number;
  lastReceivedAt: number;
  repeats: number;
  /** When it was repeated with another body. */
  alteredAt: number | null;
  /** The index of the sync that it caused. */
  sync: number | null;
}

export function planRepository(random: Random, { at }: Calendar) {
  const planned: PlannedCommit[] = [];
  for (const { author, day, clock, message, changes } of commits) {
    const files = new Map([...(planned.at(-1)?.files ?? []), ...Object.entries(changes)]);
    const time = at(day, clock) + random.int(0, 50) * 1000;
    const identity = { name: author, email: `${author.split(" ")[0]!.toLowerCase()}@northwind.example` };
    const parent = planned.at(-1)?.id;
    const id = hashCommit({ files, parent, author: identity, at: time, message });
    planned.push({ id, author: identity, message, at: time, files });
  }
  const createdAt = at(1, "10:02");
  const [first, ...pushed] = planned as [PlannedCommit, ...PlannedCommit[]];
  const planSync = (cause: PlannedSync["cause"], commit: PlannedCommit, time: number): PlannedSync => {
    const startedAt = time + random.int(90, 700);
    const finishedAt = startedAt + random.int(800, 3_900);
    return {
      cause,
      commit,
      createdAt: time,
      startedAt,
      finishedAt,
      attempt: 1,
      requestedBy: null,
      error: undefined,
    };
  };
  const syncs: PlannedSync[] = [{ ...planSync("created", first, createdAt), requestedBy: "bruno" }];
  const deliveries: PlannedDelivery[] = [];
  for (const [index, commit] of pushed.entries()) {
    const receivedAt = commit.at + random.int(3_000, 40_000);
    const delivery = planPushDelivery(random, commit, planned[index]!.id, sampleRepository.ref, receivedAt);
    deliveries.push({ ...delivery, sync: syncs.length });
    const done = planSync("push", commit, receivedAt);
    if (index !== 1) {
      syncs.push(done);
      continue;
    }
    // The code host is unreachable for a quarter of an hour, longer than a sync is retried.
    const finishedAt = done.startedAt + (10 + 40 + 160 + 600 + 5 * 15) * 1000;
    const error = `${host} did not answer in time.`;
    syncs.push({ ...done, attempt: 5, startedAt: finishedAt - 15_000, finishedAt, error });
    syncs.push({ ...planSync("manual", commit, finishedAt + 22 * 60_000), requestedBy: "bruno" });
  }
  const repeated = deliveries[2]!;
  repeated.repeats = 1;
  repeated.lastReceivedAt = repeated.receivedAt + 3 * 60_000;
  const altered = deliveries[0]!;
  altered.repeats = 1;
  altered.alteredAt = altered.receivedAt + 9 * 60_000;
  altered.lastReceivedAt = altered.alteredAt;
  const branch = { ...pushed[0]!, id: random.hex(40), message: "Try a shorter triage template" };
  const otherBranchDelivery = planPushDelivery(
    random,
    branch,
    first.id,
    "refs/heads/shorter-triage",
    at(4, "15:31"),
  );
  deliveries.push({ ...otherBranchDelivery, outcome: "ignored", reason: "no matching connector" });
  for (const time of [at(6, "10:48"), at(9, "14:05"), at(13, "11:26"), at(-3, "09:52")])
    deliveries.push(planIssueDelivery(random, time));
  deliveries.push(planInvalidDelivery(random, at(12, "16:18")));
  deliveries.sort((a, b) => a.receivedAt - b.receivedAt);
  return { createdAt, commits: planned, syncs, deliveries, disabledAt: at(-2, "17:40") };
}

const repositoryBody = {
  name: "agent-templates",
  full_name: sampleRepository.repository,
  html_url: `${sampleRepository.baseUrl}/${sampleRepository.repository}`,
};

function createUuid(random: Random): string {
  return `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-a${random.hex(3)}-${random.hex(12)}`;
}

function planPushDelivery(
  random: Random,
  { id, author, message, at }: PlannedCommit,
  before: string,
  ref: string,
  receivedAt: number,
): PlannedDelivery {
  const commit = { id, message, author, timestamp: new Date(at).toISOString() };
  const body = {
    ref,
    before,
    after: id,
    commits: [commit],
    repository: repositoryBody,
    pusher: { login: author.email.split("@")[0] },
  };
  return {
    ...{
      deliveryId: createUuid(random),
      event: "push",
      action: null,
      ref,
      head: id,
      outcome: "accepted",
      reason: null,
    },
    ...{ body: JSON.stringify(body), receivedAt, lastReceivedAt: receivedAt, repeats: 0 },
    ...{ alteredAt: null, sync: null },
  };
}

function planIssueDelivery(random: Random, receivedAt: number): PlannedDelivery {
  const issue = { number: random.int(3, 40), title: "A template for stock counts" };
  return {
    ...{ deliveryId: createUuid(random), event: "issues", action: null, ref: null, head: null },
    ...{
      outcome: "ignored",
      reason: "event ignored",
      receivedAt,
      lastReceivedAt: receivedAt,
      repeats: 0,
      alteredAt: null,
      sync: null,
    },
    body: JSON.stringify({ action: "opened", issue, repository: repositoryBody }),
  };
}

/** A proxy cut the body off, so it is not JSON. */
function planInvalidDelivery(random: Random, receivedAt: number): PlannedDelivery {
  const { body, ...delivery } = planIssueDelivery(random, receivedAt);
  const reason = "The body is not JSON.";
  return { ...delivery, event: "push", outcome: "invalid", reason, body: body.slice(0, 120) };
}
