/** Reporters that repeat each event until it is acknowledged, and a check of the stored events. */
import { setTimeout as pause } from "node:timers/promises";
import type { Body } from "../body.ts";

interface SentEvent {
  attempt: number;
  sequence: number;
  type: string;
  payload: { text: string; n: number };
  createdAt: number;
}

export interface ServerAccess {
  /** The current address of the server. */
  url: string;
  headers: Record<string, string>;
}

type Answer = { status: number; headers: Headers; body: Body };

export async function callServer(
  access: ServerAccess,
  path: string,
  body?: unknown,
  method?: string,
): Promise<Answer> {
  const response = await fetch(access.url + path, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { ...access.headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
}

/** Creates a person, an organization, a key, and the given number of queued runs. */
export async function createQueuedRuns(
  url: string,
  runs: number,
): Promise<{ access: ServerAccess; runIds: string[] }> {
  const access: ServerAccess = { url, headers: {} };
  const email = `ada-${Date.now()}@example.com`;
  const account = { name: "Ada", email, password: "correct horse battery" };
  const { body: signedUp } = await callServer(access, "/api/auth/sign-up/email", account);
  access.headers = { authorization: `Bearer ${signedUp.token}` };
  await callServer(access, "/v1/organizations", { name: "Acme" });
  const { body: made } = await callServer(access, "/v1/api-keys", { name: "reporters" });
  access.headers = { "x-api-key": made.key };
  const { body } = await callServer(access, "/v1/automations", {
    name: "Triage",
    instructions: "Report.",
    schedule: { kind: "manual" },
  });
  const runIds: string[] = [];
  while (runIds.length < runs) {
    runIds.push(
      (await callServer(access, `/v1/automations/${body.automation.id}/run`, undefined, "POST")).body.run.id,
    );
  }
  return { access, runIds };
}

export interface Reporter {
  runId: string;
  acknowledged: SentEvent[];
  /** Replies that are errors in every case. */
  faults: string[];
  /** The number of requests without a reply, with 503, and with 503 but without Retry-After. */
  refusals: { unreachable: number; unavailable: number; withoutRetryAfter: number };
  /** Resolves when the reporter has stopped. A last event can be stored without its acknowledgement. */
  stop(): Promise<void>;
}

/** Reports events alone or in small batches, one request at a time, and repeats each until it is acknowledged. */
export function startReporter(access: ServerAccess, runId: string): Reporter {
  let stopping = false;
  const reporter: Reporter = {
    runId,
    acknowledged: [],
    faults: [],
    refusals: { unreachable: 0, unavailable: 0, withoutRetryAfter: 0 },
    async stop() {
      stopping = true;
      await working;
    },
  };
  const working = (async () => {
    let sequence = 0;
    while (!stopping) {
      const count = sequence % 7 === 0 ? 4 : 1;
      const events = Array.from({ length: count }, (_, i): SentEvent => {
        const n = sequence + i;
        return {
          attempt: 1,
          sequence: n,
          type: "assistant",
          payload: { text: `${runId} ${n} ${"x".repeat(n % 300)}`, n: Math.random() },
          createdAt: Date.now(),
        };
      });
      if (!(await deliver(events))) return;
      reporter.acknowledged.push(...events);
      sequence += count;
    }
  })();

  /** False when the reporter was stopped before the reply. */
  async function deliver(events: SentEvent[]): Promise<boolean> {
    for (;;) {
      try {
        const path = `/v1/automation-runs/${runId}/events`;
        const { status, headers, body } =
          events.length === 1
            ? await callServer(access, path, events[0])
            : await callServer(access, `${path}/batch`, { events });
        if (status === 200) return true;
        if (status === 503) {
          reporter.refusals.unavailable++;
          if (!headers.get("retry-after")) reporter.refusals.withoutRetryAfter++;
        } else {
          reporter.faults.push(`${status} ${JSON.stringify(body)}`);
          return false;
        }
      } catch {
        reporter.refusals.unreachable++;
      }
      if (stopping) return false;
      await pause(50);
    }
  }
  return reporter;
}

/** The differences between the stored events and the acknowledged ones. */
export async function findReportingFaults(access: ServerAccess, reporter: Reporter): Promise<string[]> {
  const stored: (SentEvent & { receivedAt: number })[] = [];
  for (let cursor = ""; ; ) {
    const { body } = await callServer(
      access,
      `/v1/automation-runs/${reporter.runId}/events?limit=100${cursor}`,
    );
    stored.push(...body.items);
    if (!body.nextCursor) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  const wrong = [...reporter.faults];
  for (const [i, { sequence }] of stored.entries()) {
    if (sequence !== i) wrong.push(`At position ${i} is sequence ${sequence}.`);
  }
  for (const event of reporter.acknowledged) {
    const found = stored[event.sequence];
    if (!found) wrong.push(`Sequence ${event.sequence} was acknowledged and is missing.`);
    else if (JSON.stringify(found.payload) !== JSON.stringify(event.payload))
      wrong.push(`Sequence ${event.sequence} is not what was acknowledged.`);
  }
  // At most one request was under way when the reporter stopped.
  if (stored.length - reporter.acknowledged.length > 4)
    wrong.push(`${stored.length} are stored, ${reporter.acknowledged.length} were acknowledged.`);
  return wrong.slice(0, 20);
}
