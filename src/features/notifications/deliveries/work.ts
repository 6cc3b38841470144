import type { Platform } from "../../../platform/context.ts";
import { workFairly } from "../../../platform/fair-work.ts";
import { recordAsSystem } from "../../audit/index.ts";
import { addToDigests } from "../digests/index.ts";
import { disableEndpoint, recordFailure, recordSuccess } from "../endpoints/index.ts";
import { listAdminIds } from "../settings/index.ts";
import { failPendingDeliveries } from "../store.ts";
import type { Attempt } from "./contract.ts";
import { decideNextStep, type NextStep } from "./schedule.ts";
import { send } from "./send.ts";
import * as store from "./store.ts";

const maxPerOrganization = 4;
/** Less than `maxPerOrganization`, so that a slow endpoint does not take all places of its organization. */
const maxPerEndpoint = 2;
/** A send that takes longer gives up its place, and its endpoint counts as slow. */
const slowMs = 2_000;
const capacity = 16;
/** How many deliveries may wait for a place or hold one. Slow sends do not count. */
const maxActive = 32;
/** Endpoints that fail or are slow get at most half of the places. */
const maxActiveFailing = capacity / 2;
/** How many deliveries may be open, including slow sends that gave up their place. */
const maxOpen = 160;
const queueLimits = { capacity, maxWaitMs: 10 * 60_000, maxWaiting: 10_000, maxWaitingPerKey: 1_000 };

/** An endpoint is disabled when it has failed for this long and this often. One event alone has 9 attempts. */
const minFailingDays = 5;
const minFailedAttempts = 12;

/** Sends due deliveries until none is left. */
export async function deliverDue(platform: Platform): Promise<void> {
  platform.metrics.describe(
    "webhook_endpoint_attempts_total",
    "Attempts to deliver events to webhook endpoints, by outcome.",
  );
  const sending = new Set<OpenDelivery>();
  await workFairly({
    queue: platform.queues("webhook deliveries", queueLimits),
    async take(busyOrganizations) {
      if (!platform.jobs.isReady()) return [];
      const open = [...sending];
      const slowEndpoints = open.filter(({ isSlow }) => isSlow).map(({ endpointId }) => endpointId);
      const perEndpointNow = Map.groupBy(open, ({ endpointId }) => endpointId);
      const busyEndpoints = [...perEndpointNow]
        .filter(([, sends]) => sends.length >= maxPerEndpoint)
        .map(([endpointId]) => endpointId);
      const failing = open.filter(({ isFailing }) => isFailing).length;
      const limit = Math.min(maxActive - open.filter(({ isSlow }) => !isSlow).length, maxOpen - open.length);
      if (limit <= 0) return [];
      const claimed = await store.claimDueAcrossOrganizations(platform.db, {
        ...{
          busyOrganizations,
          busyEndpoints,
          slowEndpoints,
          perOrganization: maxPerOrganization,
          perEndpoint: maxPerEndpoint,
          limit,
        },
        limitFailing: Math.max(0, maxActiveFailing - failing),
        openOrganizations: open.map(({ orgId }) => orgId),
      });
      return claimed.map((delivery) => {
        const { orgId, endpointId, isFailing } = delivery;
        const one = { orgId, endpointId, isFailing, isSlow: false, delivery };
        sending.add(one);
        return one;
      });
    },
    getKey: ({ orgId }) => orgId,
    async work(one, release) {
      const slow = setTimeout(() => {
        one.isSlow = true;
        release();
      }, slowMs);
      try {
        await deliver(platform, one.delivery);
      } finally {
        clearTimeout(slow);
        sending.delete(one);
      }
    },
    perKey: maxPerOrganization,
  });
}

/** A delivery that is taken and not finished. */
interface OpenDelivery {
  orgId: string;
  endpointId: string;
  isFailing: boolean;
  isSlow: boolean;
}

async function deliver(platform: Platform, delivery: store.ClaimedDelivery): Promise<void> {
  const { db, metrics } = platform;
  const { orgId, endpointId, attempt, tries } = delivery;
  const at = Date.now();
  const started = performance.now();
  const sent = delivery.enabled ? await send(platform, delivery) : disabledResult;
  const entry: Attempt = {
    ...{ attempt, at, durationMs: Math.round(performance.now() - started) },
    ...{ responseStatus: sent.status, response: sent.response, error: sent.error },
  };
  const step: NextStep = delivery.enabled
    ? decideNextStep(tries, sent, Math.random())
    : { state: "failed", isGone: false };
  metrics.count("webhook_endpoint_attempts_total", {
    outcome: step.state === "succeeded" ? "succeeded" : "failed",
  });
  if (step.state === "succeeded") {
    await store.record(db, orgId, delivery, { state: step.state, afterSeconds: 0, entry });
    await recordSuccess(db, orgId, endpointId);
    return;
  }
  const afterSeconds = step.state === "pending" ? step.afterSeconds : 0;
  const isGone = step.state === "failed" && step.isGone;
  await db.transaction(async (tx) => {
    const failing = await recordFailure(tx, orgId, endpointId, delivery.url);
    // The earlier URL is gone, and the event is for the new one.
    const state = isGone && failing?.isMoved ? "pending" : step.state;
    const recorded = await store.record(tx, orgId, delivery, { state, afterSeconds, entry });
    if (!failing || failing.isMoved || recorded === 0) return;
    const isFailingTooLong = failing.failingDays >= minFailingDays && failing.failures >= minFailedAttempts;
    if (!isGone && !isFailingTooLong) return;
    const reason = isGone ? "gone" : "failing";
    await disableEndpoint(tx, orgId, endpointId, reason);
    await failPendingDeliveries(tx, orgId, endpointId);
    await recordAsSystem(tx, orgId, {
      action: "webhook_endpoint.disabled",
      target: { type: "webhook_endpoint", id: endpointId },
      after: { reason, failures: failing.failures },
    });
    await addToDigests(tx, orgId, {
      memberIds: await listAdminIds(tx, orgId),
      topic: `endpoint.disabled ${endpointId}`,
      type: "endpoint.disabled",
      item: { at, endpointId, url: failing.url, reason },
    });
  });
}

/** For a delivery that was queued at the moment when its endpoint was disabled. */
const disabledResult = {
  status: null,
  retryAfterSeconds: null,
  response: null,
  error: "The endpoint was disabled before the event was sent.",
};
