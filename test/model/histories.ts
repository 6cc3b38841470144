/** Executes random histories of one run by several reporters, and compares them with the reference model. */
import fc from "fast-check";
import type { EventReport } from "../../src/features/automations/events/contract.ts";
import * as events from "../../src/features/automations/events/service.ts";
import type { Completion } from "../../src/features/automations/runs/contract.ts";
import { endOverdueRuns } from "../../src/features/automations/runs/jobs.ts";
import * as runs from "../../src/features/automations/runs/service.ts";
import type { MemberCtx, MemberId, OrgId, Platform, UserId } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/index.ts";
import { Refusal } from "../../src/platform/errors.ts";
import { newId } from "../../src/platform/ids.ts";
import { type Answer, type Model, newRun, type Operation, perform, type Reported } from "./reference.ts";

const reporters = ["person", "runner A", "runner B"] as const;

/** A step of a history: one operation, or several at the same moment. */
type Step = PlannedOperation | PlannedOperation[];

/** An operation relative to the state of the run, so that most operations are valid. */
interface PlannedOperation {
  do: Operation["do"];
  who: string;
  /** Added to the current attempt. */
  attempt: number;
  /** Added to the next number of that attempt. */
  sequence: number;
  count: number;
  types: Reported["type"][];
  content: number;
  status: "succeeded" | "failed" | "cancelled";
}

const plannedOperation: fc.Arbitrary<PlannedOperation> = fc.record({
  do: fc.constantFrom(
    ...(["report", "report", "report", "report", "report", "claim", "complete"] as const),
    ...(["heartbeat", "expire", "sweep", "cancel"] as const),
  ),
  who: fc.constantFrom(...reporters),
  attempt: fc.constantFrom(0, 0, 0, 0, 0, 1, 1, -1),
  sequence: fc.constantFrom(0, 0, 0, 0, 0, -1, -2, 1, -5),
  count: fc.constantFrom(1, 1, 1, 2, 4),
  types: fc.array(fc.constantFrom("assistant", "assistant", "assistant", "usage", "terminal"), {
    minLength: 4,
    maxLength: 4,
  }) as fc.Arbitrary<Reported["type"][]>,
  content: fc.constantFrom(0, 0, 0, 0, 7),
  status: fc.constantFrom("succeeded", "failed", "cancelled"),
});

export const history = (maxSteps: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 6, arbitrary: plannedOperation },
      { weight: 1, arbitrary: fc.array(plannedOperation, { minLength: 2, maxLength: 3 }) },
    ),
    { minLength: 1, maxLength: maxSteps },
  );

function toOperation(planned: PlannedOperation, run: Model): Operation {
  const { who } = planned;
  const attempt = Math.max(1, (run.status === "queued" ? run.attempt + 1 : run.attempt) + planned.attempt);
  switch (planned.do) {
    case "claim":
      return { do: "claim", who };
    case "heartbeat":
      return { do: "heartbeat", who, attempt };
    case "complete":
      return { do: "complete", who, attempt, status: planned.status, content: planned.content };
    case "report": {
      const stored = run.events[attempt] ?? [];
      const next = (stored.at(-1)?.sequence ?? -1) + 1;
      const first = Math.max(0, next + planned.sequence);
      const given = Array.from({ length: planned.count }, (_, i): Reported => {
        const sequence = first + i;
        // A stored event is usually repeated unchanged.
        const known = stored.find((event) => event.sequence === sequence);
        if (known && planned.content === 0) return known;
        return {
          sequence,
          type: planned.types[i % 4]!,
          content: planned.content + (planned.types[i % 4] === "usage" ? 3 : 0),
        };
      });
      return { do: "report", who, attempt, events: given };
    }
    default:
      return { do: planned.do };
  }
}

export interface ModelWorkspace {
  platform: Platform;
  orgId: OrgId;
  memberId: MemberId;
  automationId: string;
  /** The context of each reporter. */
  callers: Record<string, MemberCtx>;
}

export async function createModelWorkspace(platform: Platform): Promise<ModelWorkspace> {
  const { db } = platform;
  const [orgId, userId, memberId, automationId] = [newId("org"), newId("usr"), newId("mem"), newId("aut")];
  await db.run(
    sql`insert into users (id, email, name) values (${userId}, ${`${userId}@example.com`}, 'Ada')`,
  );
  await db.run(sql`insert into organizations (id, name, slug) values (${orgId}, 'Acme', ${orgId})`);
  await db.run(
    sql`insert into members (id, org_id, user_id, role) values (${memberId}, ${orgId}, ${userId}, 'owner')`,
  );
  await db.run(sql`insert into automations (id, org_id, member_id, status, revision)
    values (${automationId}, ${orgId}, ${memberId}, 'active', 1)`);
  await db.run(sql`insert into automation_revisions (automation_id, revision, name, instructions, schedule,
      max_runtime_seconds, created_by)
    values (${automationId}, 1, 'Triage', 'Look.', '{"kind":"manual"}', 3600, ${memberId})`);
  const callers = Object.fromEntries(
    reporters.map((who) => [who, createCaller(platform, who, orgId, userId, memberId)]),
  );
  return { platform, orgId, memberId, automationId, callers };
}

function createCaller(
  platform: Platform,
  who: string,
  orgId: OrgId,
  userId: UserId,
  memberId: MemberId,
): MemberCtx {
  const member = {
    id: memberId,
    orgId,
    role: "owner",
    permissions: new Set(["automations:create"]),
    isSuspended: false,
  };
  const credential = who === "person" ? "session" : "runner";
  const caller = { credential, credentialId: newId("rnr"), principal: "member", userId, member } as const;
  const { permissions } = member;
  return {
    ...platform,
    requestId: "req",
    address: "",
    userAgent: "",
    caller,
    userId,
    orgId,
    member,
    permissions,
  };
}

const createdAt = 1_700_000_000_000;
const toEventReport = ({ sequence, type, content }: Reported, attempt: number): EventReport => ({
  attempt,
  sequence,
  type,
  createdAt: createdAt + sequence,
  payload: type === "usage" ? { costMicros: content } : { content },
});

/** Executes the operation in the service, and returns the reply as a caller sees it. */
async function execute(
  { platform, callers }: ModelWorkspace,
  id: string,
  operation: Operation,
): Promise<Answer> {
  const ctx = callers["who" in operation ? operation.who : "person"]!;
  try {
    switch (operation.do) {
      case "expire":
        await platform.db.run(
          sql`update automation_runs set lease_expires_at = now() - interval '1 second' where id = ${id} and status = 'running'`,
        );
        return "ok";
      case "sweep":
        await endOverdueRuns(platform);
        return "ok";
      case "cancel":
        await runs.cancel(ctx, id);
        return "ok";
      case "claim": {
        const { assignment } = await runs.claim(ctx, id);
        return assignment ? `attempt ${assignment.attempt}` : "none";
      }
      case "heartbeat":
        return (await runs.heartbeat(ctx, id, operation)).cancelRequested ? "stop" : "go on";
      case "complete": {
        const { attempt, status, content } = operation;
        const caches = { cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 };
        const names = { provider: null, model: null };
        const usage = { inputTokens: 0, outputTokens: 0, costMicros: content, ...caches, ...names };
        const rest = { sessionId: null, workspaceId: null, resultSummary: null, error: null };
        const { run } = await runs.complete(ctx, id, {
          attempt,
          status,
          usage,
          ...rest,
        } satisfies Completion);
        return `ended ${run.status}`;
      }
      case "report": {
        const given = operation.events.map((event) => toEventReport(event, operation.attempt));
        if (given.length === 1) await events.reportEvent(ctx, id, given[0]!);
        else await events.reportEvents(ctx, id, { events: given });
        return "stored";
      }
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { body } = error;
    return body.error === "automation_runner_event_sequence_gap" ? `expected ${body.expected}` : body.error;
  }
}

const listPermutations = <T>(list: readonly T[]): T[][] =>
  list.length < 2
    ? [[...list]]
    : list.flatMap((one, i) => listPermutations(list.toSpliced(i, 1)).map((rest) => [one, ...rest]));

/** The possible orders of operations at the same moment. A sweep skips a run that is locked. */
function listOrders(operations: readonly Operation[]): number[][] {
  const all = operations.map((_, i) => i);
  if (all.length < 2) return [all];
  const acting = all.filter((i) => operations[i]!.do !== "sweep");
  return [...listPermutations(all), ...(acting.length < all.length ? listPermutations(acting) : [])];
}

/**
 * Executes a history. Operations at the same moment happen in some order: the orders that explain every
 * reply remain possible, and one of them must explain the stored state at the end.
 */
export async function checkHistory(world: ModelWorkspace, steps: readonly Step[]): Promise<void> {
  const { id } = (await runs.createRun(world.platform, world.platform.db, world.orgId, {
    automationId: world.automationId,
    revision: 1,
    memberId: world.memberId,
    trigger: "manual",
    occurrenceAt: null,
  }))!;
  let possible: Model[] = [newRun];
  const log: string[] = [];
  for (const step of steps) {
    const operations = [step].flat().map((planned) => toOperation(planned, possible[0]!));
    const answers = await Promise.all(operations.map((operation) => execute(world, id, operation)));
    log.push(
      operations.map((operation, i) => `${JSON.stringify(operation)} → ${answers[i]}`).join("\n  with "),
    );
    const next = new Map<string, Model>();
    let example = "";
    for (const model of possible) {
      for (const order of listOrders(operations)) {
        let run = model;
        let explains = true;
        for (const i of order) {
          const [after, answer] = perform(run, operations[i]!);
          run = after;
          if (answer !== answers[i]) {
            example ||= `${answer} was expected of ${model.status} ${model.attempt}`;
            explains = false;
          }
        }
        if (explains) next.set(JSON.stringify(run), run);
      }
    }
    if (next.size === 0) throw new Error(`No order explains this (${example}):\n${log.join("\n")}`);
    possible = [...next.values()];
  }
  const stored = await readStoredRun(world, id);
  const expected = possible.map(formatModel);
  if (!expected.includes(stored)) {
    throw new Error(`Stored is\n${stored}\nand not\n${expected.join("\nnor\n")}\nafter\n${log.join("\n")}`);
  }
}

const formatModel = (run: Model) =>
  JSON.stringify({
    status: run.status,
    attempt: run.attempt,
    late: run.late.length,
    cost: run.cost,
    events: Object.entries(run.events).flatMap(([attempt, list]) =>
      list
        .map((event) => toEventReport(event, Number(attempt)))
        .map(({ sequence, type, payload }) => [attempt, sequence, type, payload]),
    ),
  });

async function readStoredRun({ callers }: ModelWorkspace, id: string): Promise<string> {
  const ctx = callers.person!;
  const { run, usage } = await runs.read(ctx, id);
  const items: [string, number, string, unknown][] = [];
  let cursor: string | undefined;
  do {
    const page = await events.list(ctx, id, { order: "asc", limit: 100, cursor });
    for (const { attempt, sequence, type, payload } of page.items)
      items.push([String(attempt), sequence, type, payload]);
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return JSON.stringify({
    status: run.status,
    attempt: run.attempt,
    late: run.lateReports,
    cost: usage.costMicros,
    events: items,
  });
}
