/** Random histories of one run, told by several reporters, held against the reference. */
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
import { type Answer, fresh, type Model, type Operation, perform, type Reported } from "./reference.ts";

const reporters = ["person", "runner A", "runner B"] as const;

/** A history: what happens one after the other, and now and then some of it at the same moment. */
type Step = Wish | Wish[];

/** What somebody wants to do, relative to how things stand then: so that most of it makes sense. */
interface Wish {
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

const wish: fc.Arbitrary<Wish> = fc.record({
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
      { weight: 6, arbitrary: wish },
      { weight: 1, arbitrary: fc.array(wish, { minLength: 2, maxLength: 3 }) },
    ),
    { minLength: 1, maxLength: maxSteps },
  );

function operationOf(wish: Wish, run: Model): Operation {
  const { who } = wish;
  const attempt = Math.max(1, (run.status === "queued" ? run.attempt + 1 : run.attempt) + wish.attempt);
  switch (wish.do) {
    case "claim":
      return { do: "claim", who };
    case "heartbeat":
      return { do: "heartbeat", who, attempt };
    case "complete":
      return { do: "complete", who, attempt, status: wish.status, content: wish.content };
    case "report": {
      const stored = run.events[attempt] ?? [];
      const next = (stored.at(-1)?.sequence ?? -1) + 1;
      const first = Math.max(0, next + wish.sequence);
      const given = Array.from({ length: wish.count }, (_, i): Reported => {
        const sequence = first + i;
        // What is there already is mostly sent again as it was.
        const known = stored.find((event) => event.sequence === sequence);
        if (known && wish.content === 0) return known;
        return {
          sequence,
          type: wish.types[i % 4]!,
          content: wish.content + (wish.types[i % 4] === "usage" ? 3 : 0),
        };
      });
      return { do: "report", who, attempt, events: given };
    }
    default:
      return { do: wish.do };
  }
}

export interface World {
  platform: Platform;
  orgId: OrgId;
  memberId: MemberId;
  automationId: string;
  /** Each reporter's own way to call. */
  callers: Record<string, MemberCtx>;
}

export async function createWorld(platform: Platform): Promise<World> {
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
    reporters.map((who) => [who, callerOf(platform, who, orgId, userId, memberId)]),
  );
  return { platform, orgId, memberId, automationId, callers };
}

function callerOf(
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
const wire = ({ sequence, type, content }: Reported, attempt: number): EventReport => ({
  attempt,
  sequence,
  type,
  createdAt: createdAt + sequence,
  payload: type === "usage" ? { costMicros: content } : { content },
});

/** Does it for real, and says what a caller could tell. */
async function really({ platform, callers }: World, id: string, operation: Operation): Promise<Answer> {
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
        const usage = { inputTokens: 0, outputTokens: 0, costMicros: content };
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
        const given = operation.events.map((event) => wire(event, operation.attempt));
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

const permutations = <T>(list: readonly T[]): T[][] =>
  list.length < 2
    ? [[...list]]
    : list.flatMap((one, i) => permutations(list.toSpliced(i, 1)).map((rest) => [one, ...rest]));

/** The orders in which things may have happened. A sweep passes over a run that somebody is busy with. */
function orders(operations: readonly Operation[]): number[][] {
  const all = operations.map((_, i) => i);
  if (all.length < 2) return [all];
  const acting = all.filter((i) => operations[i]!.do !== "sweep");
  return [...permutations(all), ...(acting.length < all.length ? permutations(acting) : [])];
}

/**
 * Lets a history happen. What happened at the same moment must have happened in some order: of all orders,
 * those that explain every answer remain possible, and one of them must explain what is stored in the end.
 */
export async function hold(world: World, steps: readonly Step[]): Promise<void> {
  const { id } = (await runs.createRun(world.platform, world.platform.db, world.orgId, {
    automationId: world.automationId,
    revision: 1,
    memberId: world.memberId,
    trigger: "manual",
    occurrenceAt: null,
  }))!;
  let possible: Model[] = [fresh];
  const told: string[] = [];
  for (const step of steps) {
    const operations = [step].flat().map((wish) => operationOf(wish, possible[0]!));
    const answers = await Promise.all(operations.map((operation) => really(world, id, operation)));
    told.push(
      operations.map((operation, i) => `${JSON.stringify(operation)} → ${answers[i]}`).join("\n  with "),
    );
    const next = new Map<string, Model>();
    let example = "";
    for (const model of possible) {
      for (const order of orders(operations)) {
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
    if (next.size === 0) throw new Error(`No order explains this (${example}):\n${told.join("\n")}`);
    possible = [...next.values()];
  }
  const stored = await read(world, id);
  const expected = possible.map(shown);
  if (!expected.includes(stored)) {
    throw new Error(`Stored is\n${stored}\nand not\n${expected.join("\nnor\n")}\nafter\n${told.join("\n")}`);
  }
}

const shown = (run: Model) =>
  JSON.stringify({
    status: run.status,
    attempt: run.attempt,
    late: run.late.length,
    cost: run.cost,
    events: Object.entries(run.events).flatMap(([attempt, list]) =>
      list
        .map((event) => wire(event, Number(attempt)))
        .map(({ sequence, type, payload }) => [attempt, sequence, type, payload]),
    ),
  });

async function read({ callers }: World, id: string): Promise<string> {
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
