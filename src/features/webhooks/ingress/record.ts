import type { Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { unavailable } from "../../../platform/errors.ts";
import { findTargets, follow, hold, type News, type Target, touchSecret } from "../../connectors/index.ts";
import { overhead, quotaMeter } from "../../quotas/index.ts";
import { codehostsOf } from "../dialects/index.ts";
import { sizeOf } from "./collector.ts";
import type { Sender } from "./service.ts";
import * as store from "./store.ts";

interface Recorded {
  verdict: store.Verdict;
  queued: boolean;
}

/**
 * Records one delivery, with what follows from it, in one transaction: whatever is not simply a new push.
 * Undefined when the connector that the URL named has just been removed.
 */
export function recordByItself(
  platform: Pick<Platform, "bus" | "config" | "db" | "log" | "state">,
  { connector }: Sender,
  delivery: store.Delivery,
  given: store.Verdict,
  news?: News,
): Promise<Recorded | undefined> {
  return platform.db.transaction(async (tx) => {
    const self = connector && (await hold(tx, connector.orgId, connector.id as Target["connectorId"]));
    if (connector && !self) return undefined;
    if (connector) await touchSecret(tx, connector.orgId, connector.secretId);
    const headUnproven = connector === null;
    const audience = {
      codehosts: codehostsOf(delivery.dialect),
      connectorId: connector?.id ?? null,
      orgId: null,
    };
    const meter = platform.state.get(quotaMeter);
    const full = new Set(meter.full("webhook_storage"));
    const suited = news ? await findTargets(tx, news, audience) : [];
    const withRoom = typeof suited === "string" ? suited : suited.filter(({ orgId }) => !full.has(orgId));
    const found = withRoom.length === 0 && suited.length > 0 ? storageFull : withRoom;
    const verdict: store.Verdict = typeof found === "string" ? { outcome: "ignored", reason: found } : given;
    // What is about nobody is nobody's to see.
    if (verdict.outcome !== "accepted" && !self) return { verdict, queued: false };
    // The connector that the URL named sees whatever came for it.
    const targets = typeof found === "string" || found.length === 0 ? (self ? [self] : []) : found;

    if (await store.insertOfAll(tx, delivery, verdict, targets)) {
      const owner = connector?.orgId ?? (targets.length === 1 ? targets[0]!.orgId : undefined);
      const bytes = verdict.outcome === "accepted" ? sizeOf(delivery) : overhead.delivery;
      if (owner) tx.afterCommit(() => meter.add(owner, "webhook_storage", bytes));
      return work(platform, tx, { id: delivery.id, verdict, targets, news, again: false, headUnproven });
    }
    const earlier = await store.repeatOfAll(tx, delivery);
    if (!earlier) throw unavailable("The delivery of that number was just removed. Try again.", 1);
    if (!earlier.sameBody) return { verdict: earlier, queued: false };
    const again = earlier.outcome === "accepted";
    // What was accepted stays so. What was not may have been mended since: another ref, another repository.
    if (again && verdict.outcome !== "accepted") return { verdict: earlier, queued: false };
    if (!again) await store.setVerdictOfAll(tx, earlier.id, verdict);
    if (!again && verdict.outcome === "accepted") {
      const stored = await store.keepBodyOfAll(tx, earlier.id, delivery.body);
      // Only deliveries to a connector's URL are stored without their body, so they have an owner.
      if (stored > 0 && connector)
        tx.afterCommit(() => meter.add(connector.orgId, "webhook_storage", delivery.body.length));
    }
    return work(platform, tx, { id: earlier.id, verdict, targets, news, again, headUnproven });
  });
}

/** The reason when every organization that the delivery concerns has used up its storage quota. */
export const storageFull = "storage quota exceeded";

interface Work {
  id: store.DeliveryId;
  verdict: store.Verdict;
  targets: readonly Target[];
  news: News | undefined;
  again: boolean;
  headUnproven: boolean;
}

async function work(
  platform: Pick<Platform, "bus">,
  tx: Db,
  { id, verdict, targets, news, again, headUnproven }: Work,
): Promise<Recorded> {
  const follows = news && verdict.outcome === "accepted";
  const queued = follows
    ? await follow(platform, tx, news, targets, { again, headUnproven })
    : new Map<string, string>();
  await store.addTargetsOfAll(tx, id, targets, queued);
  return { verdict, queued: queued.size > 0 };
}
