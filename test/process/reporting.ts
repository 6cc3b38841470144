/** Reporters that do not give up, and the proof of what was acknowledged to them. */
import { setTimeout as pause } from "node:timers/promises";
import type { Body } from "../body.ts";

interface Sent {
  attempt: number;
  sequence: number;
  type: string;
  payload: { text: string; n: number };
  createdAt: number;
}

export interface Desk {
  /** Where the server is at the moment. */
  url: string;
  headers: Record<string, string>;
}

type Answer = { status: number; headers: Headers; body: Body };

export async function ask(desk: Desk, path: string, body?: unknown, method?: string): Promise<Answer> {
  const response = await fetch(desk.url + path, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { ...desk.headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
}

/** A person, an organization, a key, and as many queued runs. */
export async function openDesk(url: string, runs: number): Promise<{ desk: Desk; runIds: string[] }> {
  const desk: Desk = { url, headers: {} };
  const email = `ada-${Date.now()}@example.com`;
  const account = { name: "Ada", email, password: "correct horse battery" };
  const { body: signedUp } = await ask(desk, "/api/auth/sign-up/email", account);
  desk.headers = { authorization: `Bearer ${signedUp.token}` };
  await ask(desk, "/v1/organizations", { name: "Acme" });
  const { body: made } = await ask(desk, "/v1/api-keys", { name: "reporters" });
  desk.headers = { "x-api-key": made.key };
  const { body } = await ask(desk, "/v1/automations", {
    name: "Triage",
    instructions: "Report.",
    schedule: { kind: "manual" },
  });
  const runIds: string[] = [];
  while (runIds.length < runs) {
    runIds.push(
      (await ask(desk, `/v1/automations/${body.automation.id}/run`, undefined, "POST")).body.run.id,
    );
  }
  return { desk, runIds };
}

export interface Reporter {
  runId: string;
  acknowledged: Sent[];
  /** Answers that no reporter should ever get. */
  faults: string[];
  /** How often it met a server that was away, and how often one that said when to come back. */
  refusals: { unreachable: number; unavailable: number; withoutRetryAfter: number };
  /** Resolves when it has stopped; what was not acknowledged by then it does not know about. */
  stop(): Promise<void>;
}

/** Reports events by one or by a few, sends each again until it is acknowledged, and never two at once. */
export function startReporter(desk: Desk, runId: string): Reporter {
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
      const events = Array.from({ length: count }, (_, i): Sent => {
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

  /** False when it was stopped before the answer came. */
  async function deliver(events: Sent[]): Promise<boolean> {
    for (;;) {
      try {
        const path = `/v1/automation-runs/${runId}/events`;
        const { status, headers, body } =
          events.length === 1
            ? await ask(desk, path, events[0])
            : await ask(desk, `${path}/batch`, { events });
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
      await pause(20);
    }
  }
  return reporter;
}

/** What is wrong with what is stored, beside what was acknowledged. Nothing, if all is well. */
export async function audit(desk: Desk, reporter: Reporter): Promise<string[]> {
  const stored: (Sent & { receivedAt: number })[] = [];
  for (let cursor = ""; ; ) {
    const { body } = await ask(desk, `/v1/automation-runs/${reporter.runId}/events?limit=100${cursor}`);
    stored.push(...body.items);
    if (!body.nextCursor) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  const wrong = [...reporter.faults];
  for (const [i, { sequence }] of stored.entries()) {
    if (sequence !== i) wrong.push(`At place ${i} stands sequence ${sequence}.`);
  }
  for (const event of reporter.acknowledged) {
    const found = stored[event.sequence];
    if (!found) wrong.push(`Sequence ${event.sequence} was acknowledged and is gone.`);
    else if (JSON.stringify(found.payload) !== JSON.stringify(event.payload))
      wrong.push(`Sequence ${event.sequence} is not what was acknowledged.`);
  }
  // At most one request was under way when the reporter stopped.
  if (stored.length - reporter.acknowledged.length > 4)
    wrong.push(`${stored.length} are stored, ${reporter.acknowledged.length} were acknowledged.`);
  return wrong.slice(0, 20);
}
