import type { EgressGateway } from "@signalbox/discovery/egress";
import type { Bus } from "./bus.ts";
import type { Config } from "./config.ts";
import type { Db, Sql } from "./db/index.ts";
import type { Id } from "./ids.ts";
import type { Keyring } from "./keyring.ts";
import type { Limits, Queues } from "./limits/index.ts";
import type { Log } from "./log.ts";
import type { Metrics, ProcessSnapshot } from "./metrics.ts";
import type { Sandbox } from "./sandbox/index.ts";
import type { ResolveTexts } from "./text-records.ts";
import type { Tracer } from "./trace.ts";

export type OrgId = Id<"org">;
export type UserId = Id<"usr">;
export type MemberId = Id<"mem">;

/** What every room uses. Created once, at the start. */
export interface Platform {
  config: Config & { publicUrl: string };
  db: Db;
  bus: Bus;
  keyring: Keyring;
  jobs: Jobs;
  mail: Mail;
  /** Sends every request to an address that somebody else chose. */
  egress: EgressGateway;
  /** Reads the TXT records of a name. */
  resolveTexts: ResolveTexts;
  /** Queues that share limited capacity fairly between organizations and networks. */
  queues: Queues;
  /** Other limits that all processes of this machine share. */
  limits: Limits;
  /** Worker threads for untrusted input. */
  sandbox: Sandbox;
  /** What the rooms keep in memory. */
  state: ProcessState;
  metrics: Metrics;
  /** The metrics of all processes of this machine. */
  collectMetrics(): Promise<ProcessSnapshot[]>;
  /** Only when a collector is configured. */
  trace: Tracer | undefined;
  log: Log;
}

/** A kind of work that is done later. Its name and its data are stored, so waiting jobs depend on them. */
export interface Job<Data extends object = object> {
  name: string;
  /** Does the work. It may run twice for one job, and must allow that. If it throws, the job is tried again. */
  handle(platform: Platform, data: Data): Promise<void>;
  /** Tries after the first one, with growing pauses. */
  retries?: number;
  /** The first pause, in seconds. */
  retryDelay?: number;
  /** A cron expression in UTC: then the work needs no data and runs once per occurrence, whatever the replicas. */
  schedule?: string;
  /**
   * Also runs the work every so many seconds, in every process that does jobs. For work that cannot wait for the next
   * minute, and that several processes may do at the same time.
   */
  everySeconds?: number;
  /**
   * With `everySeconds`: a condition in SQL that is true when there may be work. After its first run, the job runs only
   * when the condition is true. One statement checks the conditions of all jobs.
   */
  isDue?: Sql;
  /** Maximum number of jobs that run at the same time in one process. */
  concurrency?: number;
  /** Maximum seconds for one execution. After it, the job may be started again. */
  expireInSeconds?: number;
  /**
   * Called when the job was given up because its worker died twice. It records this where people look for the outcome.
   */
  onPoison?(platform: Platform, data: Data, reason: string): Promise<void>;
}

/** Names a job that another file defines, where an import of it would be a circle. */
export interface JobReference {
  name: string;
  handle?: never;
}

export interface WaitingJobs {
  /** The name of the kind of job. */
  name: string;
  /** Jobs that could run now. */
  waiting: number;
  /** Jobs that start at a later time, such as another try. */
  delayed: number;
  /** Since when the first of them could have run, in milliseconds since 1970. Null when none waits. */
  oldestAt: number | null;
}

export interface Jobs {
  /** Commits with `db` when that is a transaction, so that the job exists only together with its cause. */
  add<Data extends object>(
    db: Db,
    job: Job<Data> | JobReference,
    data: Data,
    options?: { startAfterSeconds?: number; priority?: number },
  ): Promise<void>;
  /** Starts doing the work of these kinds in this process. */
  work(platform: Platform, definitions: readonly Job[]): Promise<void>;
  /** Counts the jobs that wait, for each kind with waiting jobs. */
  countWaiting(db: Db): Promise<WaitingJobs[]>;
  /** True while the queue's tables can be used. */
  isReady(): boolean;
  /** Lets running work finish, for at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
}

export interface Message {
  to: string;
  subject: string;
  text: string;
}

export interface Mail {
  /**
   * Commits with the caller's transaction; a job delivers the mail. `sentToday` is the number of mails that the
   * organization sent today, or 0 for a mail that a person waits for: lower numbers are delivered first.
   */
  send(db: Db, message: Message, options?: { sentToday?: number }): Promise<void>;
}

/** A value that a room keeps in memory: a cache, a batcher, a meter. Each process has one. */
export interface StateDefinition<T> {
  /** Shown in errors. */
  name: string;
  /** Receives the platform outside of any transaction. */
  create(platform: Platform): T;
  /** Writes what is left, when the process ends. The database is still open. */
  stop?(value: T): unknown;
}

/** The state of all rooms in this process. */
export interface ProcessState {
  /** Creates the value on the first call. */
  get<T>(definition: StateDefinition<T>): T;
  /** Stops all values, the last created first. */
  stop(): Promise<void>;
}

/** One call: the platform, and who is calling. Inside an idempotent request `db` is its transaction. */
export interface Ctx extends Platform {
  requestId: string;
  caller: Caller | undefined;
  /** The address of the client. Forwarding headers count only if TRUSTED_PROXIES lists their sender. */
  address: string;
  userAgent: string;
}

/** A call by a person, in an organization or in none. */
export interface PersonCtx extends Ctx {
  caller: Caller & { userId: UserId };
  userId: UserId;
}

/** A call inside an organization, by a member or a machine. `orgId` goes into every query. */
export interface OrganizationCtx extends Ctx {
  caller: Caller & { principal: "member" | "machine" };
  orgId: OrgId;
  permissions: ReadonlySet<string>;
}

/** A call by a member of an organization. */
export interface MemberCtx extends PersonCtx {
  caller: Caller & MemberPrincipal;
  orgId: OrgId;
  member: Membership;
  permissions: ReadonlySet<string>;
}

/** A call by a machine of an organization. There is no person behind it. */
export interface MachineCtx extends Ctx {
  caller: Caller & MachinePrincipal;
  orgId: OrgId;
  permissions: ReadonlySet<string>;
}

export type CredentialKind =
  | "session"
  | "key"
  | "runner"
  | "run"
  | "worker"
  | "worker_registration"
  | "scim"
  | "mcp"
  | "mcp_client";

/** Who is calling, and with which credential. */
export type Caller = UsedCredential & Principal;

export type Principal = PersonPrincipal | MemberPrincipal | MachinePrincipal;

/** A person without an organization: there is none, or the person is not in the requested one. */
export interface PersonPrincipal {
  principal: "person";
  userId: UserId;
  member?: never;
  machine?: never;
}

/** A person in an organization. */
export interface MemberPrincipal {
  principal: "member";
  userId: UserId;
  member: Membership;
  machine?: never;
}

/** A program of an organization that acts for nobody, such as a directory that manages its members. */
export interface MachinePrincipal {
  principal: "machine";
  machine: OrganizationRights;
  userId?: never;
  member?: never;
}

/** The credential of a request. */
export interface UsedCredential {
  credential: CredentialKind;
  /** The row of the credential: the session, the key, the token. */
  credentialId: string;
  /** The credential that this one was made with, and ends with. */
  madeWith?: string;
  /** When the person last proved who they are. Only sessions have it. */
  signedInAt?: number;
  /** The scopes of the credential, for kinds that have scopes. */
  scopes?: readonly string[];
  /** The only organization that the credential may act in. It does not speak for the person's account. */
  onlyOrgId?: OrgId;
  /** The only ids that the credential may access. Every route that accepts such a credential checks them. */
  limitedTo?: ReadonlySet<string>;
  /** The runner or member that holds the run of this credential. */
  holder?: string;
  /** The attempt of the run that this credential was made for. */
  attempt?: number;
  /** True for a credential that finishes the work it has and takes no more. */
  takesNoWork?: true;
  /** Throws a refusal when the organization's rules for this kind of credential are not met. */
  checkRules?(now: number): void;
}

/** What a member or a machine may do in an organization. */
export interface OrganizationRights {
  orgId: OrgId;
  permissions: ReadonlySet<string>;
  /** Administrators of the instance have suspended the organization: nothing is allowed in it. */
  isSuspended: boolean;
}

/** `permissions` are those of the role, limited by those of the credential. */
export interface Membership extends OrganizationRights {
  id: MemberId;
  role: string;
}

/** Undefined for a person without an organization, and for nobody. */
export const findRights = (caller: Caller | undefined): OrganizationRights | undefined =>
  caller?.member ?? caller?.machine;
