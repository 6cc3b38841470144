import type { Db } from "../../../platform/db/index.ts";
import { networkOf } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import type { Log } from "../../../platform/log.ts";
import { defineState } from "../../../platform/state.ts";
import type { Dialect, RefusalReason } from "../dialects/index.ts";
import * as store from "./store.ts";

interface Refusal {
  connectorId: string;
  address: string;
  dialect: Dialect | null;
  reason: RefusalReason;
}

/** Collects refused deliveries in memory and writes them in batches, so that a flood causes few writes. */
interface RefusalLog {
  /** Takes the same time whether or not the connector exists. The insert drops unknown connectors. */
  note(refusal: Refusal): void;
  flush(): Promise<void>;
}

interface HeldOfConnector {
  refusals: store.NewRefusal[];
  byNetwork: Map<string, number>;
}

const flushMs = 2_000;
/** The most refusals in memory, and at most 50 of them for one connector. Others are dropped. */
const maxHeld = 1_000;

/** The refused deliveries that this process has not written yet. */
export const refusalLog = defineState({
  name: "refused deliveries",
  create({ db, log, metrics }) {
    metrics.describe(
      "webhook_deliveries_refused_total",
      "Deliveries whose signature was refused, by scope and reason.",
    );
    return createRefusalLog(db.under({ work: "background", share: "refused deliveries" }), log);
  },
  stop: (log) => log.flush(),
});

export function createRefusalLog(db: Db, log: Log): RefusalLog {
  let held = 0;
  let byConnector = new Map<string, HeldOfConnector>();
  let byNetwork = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (held === 0) return;
    const refusals = [...byConnector.values()].flatMap((ofConnector) => ofConnector.refusals);
    const connectorIds = [...byConnector.keys()];
    [held, byConnector, byNetwork] = [0, new Map(), new Map()];
    try {
      if ((await store.insertAcrossOrganizations(db, refusals)) > 0)
        await store.trimAcrossOrganizations(db, connectorIds);
    } catch (error) {
      log.warn({ err: error, refusals: refusals.length }, "refused deliveries not written");
    }
  }

  return {
    note({ connectorId, address, dialect, reason }) {
      let ofConnector = byConnector.get(connectorId);
      if (!ofConnector && !isId("con", connectorId)) return;
      const network = networkOf(address);
      const ofNetwork = byNetwork.get(network) ?? 0;
      const ofBoth = ofConnector?.byNetwork.get(network) ?? 0;
      // One network may hold at most as much as stays free, in total and per connector, so that a flood leaves room for
      // other networks.
      if (ofNetwork >= maxHeld - held) return;
      if (ofConnector && ofBoth >= store.perConnector - ofConnector.refusals.length) return;
      if (!ofConnector) {
        ofConnector = { refusals: [], byNetwork: new Map() };
        byConnector.set(connectorId, ofConnector);
      }
      ofConnector.refusals.push({
        id: newId("rfd"),
        connectorId,
        address,
        dialect,
        reason,
        refusedAt: Date.now(),
      });
      ofConnector.byNetwork.set(network, ofBoth + 1);
      byNetwork.set(network, ofNetwork + 1);
      held++;
      timer ??= setTimeout(() => void flush(), flushMs).unref();
    },
    flush,
  };
}
