import { createBatcher } from "../../../platform/batcher.ts";
import type { OrgId, Platform } from "../../../platform/context.ts";
import { dayMs } from "../../../platform/days.ts";
import { defineState } from "../../../platform/state.ts";
import { type Payload, sealPayload } from "./sealing.ts";
import * as store from "./store.ts";

interface Entry {
  call: store.CallRecord;
  payload: store.SealedPayload | undefined;
}

export interface CallLog {
  /** Resolves when the call is committed. Never rejects: a tool that was executed must not look as if it was not. */
  write(call: store.CallRecord, payload?: { content: Payload; days: number }): Promise<void>;
}

/** Calls that end at the same time are written with one statement. */
export const callLog = defineState({ name: "log of calls of tools", create: createCallLog });

function createCallLog({
  db,
  keyring,
  log,
  metrics,
}: Pick<Platform, "db" | "keyring" | "log" | "metrics">): CallLog {
  metrics.describe(
    "mcp_call_log_failures_total",
    "Calls of tools that could not be written to the log of calls.",
  );
  const changes = db.withOptions({ work: "change" });
  const write = createBatcher<Entry, void>({
    async send(entries) {
      const payloads = entries.map(({ payload }) => payload).filter((payload) => payload !== undefined);
      await store.insertAcrossOrganizations(
        changes,
        entries.map(({ call }) => call),
        payloads,
      );
      return entries.map(() => undefined);
    },
    owner: ({ call }) => call.orgId,
    size: ({ payload }) => 300 + (payload?.payload.length ?? 0),
    maxItems: 500,
    maxSize: 8 * 1024 * 1024,
    sharesThread: db.kind === "pglite",
  });
  const seal = (orgId: OrgId, callId: string, content: Payload, days: number): store.SealedPayload => ({
    orgId,
    callId,
    payload: sealPayload(keyring, orgId, callId, content),
    expiresAt: Date.now() + days * dayMs,
  });
  return {
    async write(call, payload) {
      try {
        await write({ call, payload: payload && seal(call.orgId, call.id, payload.content, payload.days) });
      } catch (error) {
        metrics.count("mcp_call_log_failures_total");
        log.error({ err: error, call }, "a call of a tool was not logged");
      }
    },
  };
}
