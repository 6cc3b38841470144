import { createHttp, type HttpRequest, RefusedError } from "@signalbox/client";
import { OperatorError } from "@signalbox/command-line";
import { createForeignReplyError, translateError } from "../errors.ts";

/** The version of the worker API that this program speaks. */
export const apiVersion = 1;

export interface RuntimeReport {
  version: string;
  apiVersion: number;
  platform: string;
  arch: string;
  capabilities: readonly string[];
  limits: Record<string, number>;
  services: readonly { name: string; status: "healthy" | "degraded" | "failing"; message?: string }[];
  bootId: string;
  configurationRevision: number;
}

export interface Desired {
  version?: string;
  upgradeId?: string;
  configuration?: Record<string, unknown>;
  configurationRevision: number;
  paused: boolean;
  drain: boolean;
}

export interface Answer {
  desired: Desired;
  sequence: number;
  nextHeartbeatSeconds: number;
}

export type BeatStatus = "busy" | "idle" | "draining" | "stopped";

/** The requests of a worker. Each can throw an UnreachableError, a RefusedError or an UnusableServerError. */
export interface WorkerApi {
  report(report: RuntimeReport): Promise<Answer & { workerId: string }>;
  beat(sequence: number, status: BeatStatus, runIds: readonly string[]): Promise<Answer>;
  reportUpgrade(
    upgradeId: string,
    state: "acknowledged" | "draining" | "failed",
    reason?: string,
  ): Promise<void>;
}

/** The server does not accept the token. Waiting does not help. */
class RefusedWorkerError extends OperatorError {
  override readonly exitCode = 4;
}

const timeoutMs = 15_000;
const maxReplyBytes = 1024 * 1024;

function createCall(url: string) {
  const http = createHttp({ url, timeoutMs, maxReplyBytes, maxTries: 1 });
  return async (request: HttpRequest): Promise<Record<string, unknown>> => {
    try {
      const body = await http.request(request);
      if (!body) throw createForeignReplyError(url, 200);
      return body;
    } catch (error) {
      throw translateError(url, error);
    }
  };
}

export interface Registration {
  instanceId: string;
  name: string;
  labels: readonly string[];
}

/** Exchanges a registration token for a worker and its token. */
export async function register(url: string, registrationToken: string, body: Registration) {
  const request = createCall(url);
  const headers = { authorization: `Bearer ${registrationToken}` };
  try {
    const { worker, token } = await request({ method: "POST", path: "/v1/workers/register", headers, body });
    return { workerId: String((worker as { id: string }).id), token: String(token) };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    throw new RefusedWorkerError(
      error.status === 401
        ? `${url} does not accept this registration token. Create one there (POST /v1/worker-registration-tokens).`
        : `${url} does not register this machine: ${error.message}`,
    );
  }
}

export function createWorkerApi(url: string, token: string): WorkerApi {
  const send = createCall(url);
  const headers = { authorization: `Bearer ${token}` };
  const call = (method: string, path: string, body: object) =>
    send({ method, path: `/v1/workers/self${path}`, headers, body }).catch((error) => {
      if (error instanceof RefusedError && error.status === 401) throw describeRefusal(url);
      throw error;
    });
  return {
    report: async (report) =>
      (await call("PUT", "/runtime", report)) as unknown as Answer & { workerId: string },
    beat: async (sequence, status, runIds) =>
      (await call("POST", "/activity-heartbeat", {
        sequence,
        at: Date.now(),
        status,
        runIds,
      })) as unknown as Answer,
    reportUpgrade: async (upgradeId, state, reason) => {
      await call("PATCH", "/runtime/upgrade", { upgradeId, state, ...(reason ? { reason } : {}) });
    },
  };
}

const describeRefusal = (url: string) =>
  new RefusedWorkerError(
    `${url} does not accept the token of this worker: it was removed, or its token was replaced. ` +
      "To register the machine again, delete worker.json in the state folder and give a registration token.",
  );
