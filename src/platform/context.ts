import type { Bus } from "./bus.ts";
import type { Config } from "./config.ts";
import type { Db } from "./db/index.ts";
import type { EgressGateway } from "./egress/index.ts";
import type { Id } from "./ids.ts";
import type { Jobs } from "./jobs/index.ts";
import type { Keyring } from "./keyring.ts";
import type { Log } from "./log.ts";
import type { Mail } from "./mail/index.ts";
import type { Metrics } from "./metrics.ts";
import type { Queues } from "./queues.ts";
import type { Sandbox } from "./sandbox/index.ts";
import type { ProcessState } from "./state.ts";
import type { Tracer } from "./trace.ts";

export type OrgId = Id<"org">;
export type UserId = Id<"usr">;
export type MemberId = Id<"mem">;

/** What every room stands on. Made once, at start. */
export interface Platform {
  config: Config & { publicUrl: string };
  db: Db;
  bus: Bus;
  keyring: Keyring;
  jobs: Jobs;
  mail: Mail;
  /** The way out: everything that calls an address somebody else chose goes through it. */
  egress: EgressGateway;
  /** Queues that share limited capacity fairly between organizations and networks. */
  queues: Queues;
  /** Worker threads for untrusted input. */
  sandbox: Sandbox;
  /** What the rooms keep in memory. */
  state: ProcessState;
  metrics: Metrics;
  /** Only when a collector is configured. */
  trace: Tracer | undefined;
  log: Log;
}

/** One call: the platform, and who is calling. Inside an idempotent request `db` is its transaction. */
export interface Ctx extends Platform {
  requestId: string;
  caller: Caller | undefined;
  /** The address of the client, as far as the proxies named in TRUSTED_PROXIES can be believed. */
  address: string;
  userAgent: string;
}

/** A call by a signed-in person, or by a key of theirs. */
export interface UserCtx extends Ctx {
  caller: Caller & { userId: UserId };
  userId: UserId;
}

/** A call inside an organization. `orgId` goes into every query. */
export interface MemberCtx extends UserCtx {
  caller: Caller & { userId: UserId; member: Membership };
  orgId: OrgId;
  member: Membership;
}

export type CredentialKind = "session" | "key" | "runner" | "run" | "worker" | "scim" | "mcp";

/** Who a credential turned out to be. */
export interface Caller {
  credential: CredentialKind;
  /** The row of the credential: the session, the key, the token. */
  credentialId: string;
  /** The credential that this one was made with, and ends with. */
  madeWith?: string;
  userId?: UserId;
  /** In the organization this call is about; absent when there is none or the user is not in it. */
  member?: Membership;
  /** Sessions only: when and how the person proved who they are. */
  signedInAt?: number;
  signedInBy?: "password" | "sso";
  /** MCP tokens only: what it may be used for. */
  scopes?: readonly string[];
  /**
   * Run credentials only: the ids that the credential may access. Every route that accepts run credentials checks them.
   */
  limitedTo?: ReadonlySet<string>;
  /** Run credentials only: the runner or member that holds the run. */
  holder?: string;
}

export interface Membership {
  id: MemberId;
  orgId: OrgId;
  role: string;
  /** What this credential may do here: the role's permissions, narrowed by the key's. */
  permissions: ReadonlySet<string>;
  /** The organization's rules for sessions. */
  sessionMaxAgeMinutes: number | null;
  requireSso: boolean;
}
