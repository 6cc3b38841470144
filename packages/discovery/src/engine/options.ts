import type { Egress } from "../egress/index.ts";
import type { ClientInfo } from "./protocol.ts";
import type { DiscoveryProgress, DiscoveryResult, Evidence } from "./result.ts";

export interface DiscoveryOptions {
  /** Sends the requests. By default only public addresses are reached. */
  egress?: Egress;
  /** Returns the redirect URI of the OAuth provider that is saved under this id. Advice to people names it. */
  redirectUri?: (providerId: string) => string;
  clientInfo?: ClientInfo;
  limits?: Partial<Limits>;
  /** Called for every request when it is sent, answered and interpreted. It must not throw. */
  onProgress?: (progress: DiscoveryProgress) => void;
  /** When it aborts, nothing more is sent except to close sessions, and the verdict reports what is known so far. */
  signal?: AbortSignal;
}

export interface Limits {
  /** The time for the whole discovery. After it, the verdict reports what is known so far. */
  deadlineMs: number;
  requests: number;
  responseBytes: number;
  authorizationServers: number;
  toolPages: number;
  tools: number;
}

export const defaultLimits: Limits = {
  deadlineMs: 15_000,
  requests: 20,
  responseBytes: 1024 * 1024,
  authorizationServers: 5,
  toolPages: 10,
  tools: 1000,
};

export interface DiscoveryOutcome {
  result: DiscoveryResult;
  /** The requests so far, in the order in which they were sent. The list is built on each access. */
  readonly evidence: Evidence[];
  /** Resolves when every opened session is closed, or could not be closed within a few seconds. */
  closed: Promise<void>;
}

/** The discovery itself failed, so nothing can be said about the server. */
export class DiscoveryError extends Error {
  override name = "DiscoveryError";
}
