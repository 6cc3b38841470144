import type { OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { unavailable } from "../../../platform/errors.ts";
import { overhead, quotaMeter } from "../../quotas/index.ts";
import { refuseSuspended } from "../../suspension/index.ts";
import { type CodeHostEvent, listCodeHosts } from "../dialects/index.ts";
import { applyEvent, type EventTarget, findTargets, lockTarget } from "../events/index.ts";
import { setSecretLastUsed } from "../secrets/index.ts";
import { countBytes } from "./recorder.ts";
import * as store from "./store.ts";

/** Whose secret verified a delivery. */
export interface Sender {
  /** Null when it was the instance's secret. */
  connector: { id: string; orgId: OrgId; secretId: string } | null;
}

interface RecordedDelivery {
  verdict: store.Verdict;
  queued: boolean;
}

/**
 * Records one delivery and applies its event, in one transaction. Used for everything that is not simply a new push.
 * Undefined when the connector that the URL named has just been removed.
 */
export function recordDelivery(
  platform: Pick<Platform, "bus" | "config" | "db" | "log" | "state">,
  { connector }: Sender,
  delivery: store.Delivery,
  given: store.Verdict,
  event?: CodeHostEvent,
): Promise<RecordedDelivery | undefined> {
  return platform.db.transaction(async (tx) => {
    const named =
      connector && (await lockTarget(tx, connector.orgId, connector.id as EventTarget["connectorId"]));
    if (connector && !named) return undefined;
    // Not stored, so that the code host shows a failed delivery, which people can send again after the restoration.
    if (connector) await refuseSuspended(tx, connector.orgId);
    if (connector) await setSecretLastUsed(tx, connector.orgId, connector.secretId);
    const headUnproven = connector === null;
    const scope = {
      codehosts: listCodeHosts(delivery.dialect),
      connectorId: connector?.id ?? null,
      orgId: null,
    };
    const meter = platform.state.get(quotaMeter);
    const full = new Set(meter.listFull("webhook_storage"));
    const matching = event ? await findTargets(tx, event, scope) : [];
    const withRoom =
      typeof matching === "string" ? matching : matching.filter(({ orgId }) => !full.has(orgId));
    const found = withRoom.length === 0 && matching.length > 0 ? storageFull : withRoom;
    const verdict: store.Verdict = typeof found === "string" ? { outcome: "ignored", reason: found } : given;
    // A delivery that concerns no connector is not stored, because no organization could read it. An earlier one with
    // its id may have concerned one: then the people there see that it came again.
    if (verdict.outcome !== "accepted" && !named) {
      const earlier = await store.countRepeatAcrossOrganizations(tx, delivery);
      return { verdict: earlier?.sameBody === false ? earlier : verdict, queued: false };
    }
    // The connector that the URL named sees every delivery that was sent to it.
    const targets = typeof found === "string" || found.length === 0 ? (named ? [named] : []) : found;

    const insert = () => store.insertAcrossOrganizations(tx, delivery, verdict, targets);
    let isNew = await insert();
    let earlier = isNew ? undefined : await store.countRepeatAcrossOrganizations(tx, delivery);
    if (!isNew && !earlier) {
      // The id is that of a delivery to a connector that was deleted. A job removes it, or has just removed it.
      await store.removeLeftoverAcrossOrganizations(tx, delivery);
      isNew = await insert();
      // Another request with the id may have done the same.
      if (!isNew) earlier = await store.countRepeatAcrossOrganizations(tx, delivery);
    }
    if (isNew) {
      const owner = connector?.orgId ?? (targets.length === 1 ? targets[0]!.orgId : undefined);
      const bytes = verdict.outcome === "accepted" ? countBytes(delivery) : overhead.delivery;
      if (owner) tx.afterCommit(() => meter.add(owner, "webhook_storage", bytes));
      return applyAndRecord(platform, tx, {
        id: delivery.id,
        verdict,
        targets,
        event,
        isRepeated: false,
        headUnproven,
      });
    }
    if (!earlier) throw unavailable("The delivery with this id was just removed. Try again.", 1);
    if (!earlier.sameBody) return { verdict: earlier, queued: false };
    const isRepeated = earlier.outcome === "accepted";
    // An accepted delivery stays accepted. An ignored one may match now: the connector's ref or repository may have
    // changed.
    if (isRepeated && verdict.outcome !== "accepted") return { verdict: earlier, queued: false };
    if (!isRepeated) await store.setVerdictAcrossOrganizations(tx, earlier.id, verdict);
    if (!isRepeated && verdict.outcome === "accepted") {
      const stored = await store.storeBodyAcrossOrganizations(tx, earlier.id, delivery.body);
      // Only deliveries to a connector's URL are stored without their body, so they have an owner.
      if (stored > 0 && connector)
        tx.afterCommit(() => meter.add(connector.orgId, "webhook_storage", delivery.body.length));
    }
    return applyAndRecord(platform, tx, {
      id: earlier.id,
      verdict,
      targets,
      event,
      isRepeated,
      headUnproven,
    });
  });
}

/** The reason when every organization that the delivery concerns has used up its storage quota. */
export const storageFull = "storage quota exceeded";

interface StoredDelivery {
  id: store.DeliveryId;
  verdict: store.Verdict;
  targets: readonly EventTarget[];
  event: CodeHostEvent | undefined;
  isRepeated: boolean;
  headUnproven: boolean;
}

async function applyAndRecord(
  platform: Pick<Platform, "bus">,
  tx: Db,
  { id, verdict, targets, event, isRepeated, headUnproven }: StoredDelivery,
): Promise<RecordedDelivery> {
  const queued =
    event && verdict.outcome === "accepted"
      ? await applyEvent(platform, tx, event, targets, { isRepeated, headUnproven })
      : new Map<string, string>();
  await store.addTargetsAcrossOrganizations(tx, id, targets, queued);
  return { verdict, queued: queued.size > 0 };
}
