import { randomBytes } from "node:crypto";
import type { MemberCtx, Platform, UserId } from "../../platform/context.ts";
import { dayMs } from "../../platform/days.ts";
import type { Db } from "../../platform/db/index.ts";
import { OperatorError } from "../../platform/errors.ts";
import { newToken } from "../../platform/secrets.ts";
import { insertApiKey, keyPrefix } from "../api-keys/index.ts";
import { record, recordPastChange } from "../audit/index.ts";
import { hashPassword } from "../auth/index.ts";
import { permissionsOfRole } from "../permissions/index.ts";
import { measureDue, quotaMeter } from "../quotas/index.ts";
import { organization, type Plan, planDemo } from "./plan/index.ts";
import * as store from "./store.ts";
import { createActor } from "./write/actor.ts";
import { writeAutomations, writeResources, writeRuns } from "./write/automations.ts";
import { writeConnection } from "./write/connection.ts";
import { writeDiscoveries } from "./write/discoveries.ts";
import { writeHistory } from "./write/history.ts";
import { createIds, type Ids } from "./write/ids.ts";
import { writeMcp } from "./write/mcp.ts";
import { writeOtherConnections } from "./write/other-connections.ts";
import { writePeople } from "./write/people.ts";
import { writeProviders } from "./write/providers.ts";
import { writeRepository } from "./write/repository.ts";
import { writeTelemetry } from "./write/telemetry.ts";
import { writeWorkers } from "./write/workers.ts";

interface DemoOptions {
  seed?: string;
  /** The end of the 30 days. Defaults to the current time. */
  now?: number;
  onProgress?(step: string): void;
  /** Aborting rolls everything back. */
  signal?: AbortSignal;
}

export interface DemoWorkspace {
  organization: { id: string; name: string; slug: string };
  people: { name: string; email: string; role: string; team: string }[];
  /** One password for all people. It is random and does not depend on the seed. */
  password: string;
  key: string;
  seed: string;
  counts: {
    automations: number;
    runs: number;
    events: number;
    templates: number;
    syncs: number;
    deliveries: number;
  };
}

/** What `removeDemo` needs to find the people of the demo again. */
export interface DemoMark {
  seed: string;
  people: { id: UserId; email: string }[];
}

/** Older events would soon be removed by retention. */
const oldestDays = 30;

/** Fills a workspace as if a small company had used it for a month. Everything is written in one transaction. */
export async function fillDemo(platform: Platform, options: DemoOptions = {}): Promise<DemoWorkspace> {
  const { seed = "1", now = Date.now(), onProgress = () => {}, signal } = options;
  if (now > Date.now() || now < Date.now() - oldestDays * dayMs)
    throw new OperatorError(
      `The 30 days must end within the last ${oldestDays} days. Choose another time with --now.`,
    );
  if (!(await store.isEmpty(platform.db))) throw notEmpty();
  const plan = planDemo(seed, now);
  const ids = createIds(plan);
  const password = randomBytes(12).toString("base64url");
  const passwordHash = await hashPassword(password);
  // The meter must be created outside of a transaction.
  const meter = platform.state.get(quotaMeter);
  const key = await platform.db.transaction(async (tx) => {
    await store.lockInstance(tx);
    if (!(await store.isEmpty(tx))) throw notEmpty();
    await store.reopenUsageDays(tx);
    await store.forgetOutages(tx);
    const step = (text: string) => {
      signal?.throwIfAborted();
      onProgress(text);
      signal?.throwIfAborted();
    };
    await writeMark(tx, plan, ids, seed);
    step("8 people, 3 teams and a role");
    await writePeople(tx, plan, ids, passwordHash);
    step(`${plan.automations.length} automations with ${plan.runs.length} runs`);
    await writeAutomations(tx, plan, ids);
    await writeRuns(tx, plan, ids);
    step(`${plan.fleet.workers.length} workers, ${plan.providers.length} LLM providers and telemetry`);
    await writeWorkers(tx, plan, ids);
    await writeProviders(platform, tx, plan, ids);
    await writeTelemetry(tx, plan, ids);
    step("templates from a sample repository, with its hooks");
    const synced = await writeRepository(platform, tx, plan, ids);
    step("connected accounts and the audit log");
    await writeConnection(tx, plan, ids);
    await writeOtherConnections(tx, plan, ids);
    await writeDiscoveries(tx, plan, ids);
    step(`${plan.mcp.servers.length} MCP connections with ${plan.mcp.calls.length} calls`);
    await writeMcp(platform, tx, plan, ids);
    const namedResources = await writeResources(tx, plan, ids);
    await writeHistory(tx, plan, ids, synced, namedResources);
    await measureUsage(platform, tx, ids);
    return createKey(platform, tx, plan, ids);
  });
  await meter.flush();
  return {
    organization: { id: ids.organization, ...organization },
    people: plan.people.map(({ name, email, role, team }) => ({ name, email, role, team })),
    ...{ password, key, seed, counts: countContents(plan) },
  };
}

const notEmpty = () =>
  new OperatorError(
    "This instance has people in it already. The demo only fills an empty one: choose another DATA_DIR or DATABASE_URL.",
  );

export const markAction = "demo.created";

/** Must run before people are written: a chain that starts after its users counts as a replaced one. */
function writeMark(tx: Db, { people }: Plan, ids: Ids, seed: string): Promise<void> {
  const mark: DemoMark = { seed, people: people.map(({ key, email }) => ({ id: ids.user(key), email })) };
  const about = { type: "organization", id: ids.organization };
  return recordPastChange(
    tx,
    null,
    Date.now(),
    {},
    { action: markAction, target: about, after: { ...mark } },
  );
}

/** Measures the stored bytes now, so that they count against the quotas at once. */
async function measureUsage(platform: Platform, tx: Db, ids: Ids): Promise<void> {
  const quotas = [
    "automation_storage",
    "template_storage",
    "webhook_storage",
    "telemetry_storage",
    "audit_storage",
  ];
  await store.insertRows(
    tx,
    ids.organization,
    "organization_usage",
    quotas.map((quota) => ({ quota, used: 0 })),
  );
  await measureDue({ ...platform, db: tx }, Date.now() + 30_000);
}

/** Creates a key for the first person. Other keys are created with a session, which the demo does not have. */
async function createKey(platform: Platform, tx: Db, plan: Plan, ids: Ids): Promise<string> {
  const ctx = createOwnerContext({ ...platform, db: tx }, plan, ids);
  const key = newToken(keyPrefix);
  const given = { name: "demo", permissions: null, expiresAt: null };
  const apiKey = await insertApiKey(tx, ctx.orgId, ctx.member.id, key, given);
  const target = { type: "api_key", id: apiKey.id };
  await record(ctx, tx, { action: "api_key.created", target, after: apiKey });
  return key;
}

function createOwnerContext(platform: Platform, { people }: Plan, ids: Ids): MemberCtx {
  const { key } = people[0]!;
  const { address, userAgent, credentialId, requestId } = createActor(people, ids, key, Date.now());
  const [userId, orgId] = [ids.user(key), ids.organization];
  const member = {
    ...{ id: ids.member(key), orgId, role: "owner", permissions: permissionsOfRole("owner", null) },
    isSuspended: false,
  };
  const caller = { credential: "session", credentialId, principal: "member", userId, member } as const;
  const { permissions } = member;
  return { ...platform, requestId, caller, address, userAgent, userId, orgId, member, permissions };
}

function countContents({ automations, runs, repository }: Plan): DemoWorkspace["counts"] {
  const { syncs, deliveries, commits } = repository;
  const events = runs.flatMap(({ attempts }) => attempts.flatMap((one) => one.events)).length;
  const files = [...commits.at(-1)!.files.keys()].filter((path) =>
    /^templates\/.*(?<!README)\.md$/.test(path),
  );
  return {
    ...{ automations: automations.length, runs: runs.length, events, templates: files.length },
    ...{ syncs: syncs.length, deliveries: deliveries.length },
  };
}
