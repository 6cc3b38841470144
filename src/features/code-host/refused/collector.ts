import type { Db } from "../../../platform/db/index.ts";
import { toNetwork } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import type { Log } from "../../../platform/log.ts";
import { defineState } from "../../../platform/state.ts";
import type { Dialect, RefusalReason } from "../dialects/index.ts";
import * as store from "./store.ts";

interface NewRefusedDelivery {
  connectorId: string;
  address: string;
  dialect: Dialect | null;
  reason: RefusalReason;
}

/** Collects refused deliveries in memory and writes them in batches, so that a flood causes few writes. */
interface RefusalLog {
  /** Takes the same time whether or not the connector exists. The insert drops unknown connectors. */
  note(refusal: NewRefusedDelivery): void;
  flush(): Promise<void>;
}

interface ConnectorRefusals {
  refusals: store.NewRefusal[];
  byNetwork: Map<string, number>;
}

const flushMs = 2_000;
/** The most refusals in memory, and at most 50 of them for one connector. Others are dropped. */
const maxPending = 1_000;

/** The refused deliveries that this process has not written yet. */
export const refusalLog = defineState({
  name: "refused deliveries",
  create({ db, log, metrics }) {
    metrics.describe(
      "webhook_deliveries_refused_total",
      "Deliveries whose signature was refused, by scope and reason.",
    );
    return createRefusalLog(db.withOptions({ work: "background", share: "refused deliveries" }), log);
  },
  stop: (log) => log.flush(),
});

export function createRefusalLog(db: Db, log: Log): RefusalLog {
  let pending = 0;
  let byConnector = new Map<string, ConnectorRefusals>();
  let byNetwork = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (pending === 0) return;
    const refusals = [...byConnector.values()].flatMap((connector) => connector.refusals);
    const connectorIds = [...byConnector.keys()];
    [pending, byConnector, byNetwork] = [0, new Map(), new Map()];
    try {
      if ((await store.insertAcrossOrganizations(db, refusals)) > 0)
        await store.trimAcrossOrganizations(db, connectorIds);
    } catch (error) {
      log.warn({ err: error, refusals: refusals.length }, "refused deliveries not written");
    }
  }

  return {
    note({ connectorId, address, dialect, reason }) {
      let connector = byConnector.get(connectorId);
      if (!connector && !isId("con", connectorId)) return;
      const network = toNetwork(address);
      const networkCount = byNetwork.get(network) ?? 0;
      const pairCount = connector?.byNetwork.get(network) ?? 0;
      // One network may hold at most as much as stays free, in total and per connector, so that a flood leaves room for
      // other networks.
      if (networkCount >= maxPending - pending) return;
      if (connector && pairCount >= store.maxPerConnector - connector.refusals.length) return;
      if (!connector) {
        connector = { refusals: [], byNetwork: new Map() };
        byConnector.set(connectorId, connector);
      }
      connector.refusals.push({
        id: newId("rfd"),
        connectorId,
        address,
        dialect,
        reason,
        refusedAt: Date.now(),
      });
      connector.byNetwork.set(network, pairCount + 1);
      byNetwork.set(network, networkCount + 1);
      pending++;
      timer ??= setTimeout(() => void flush(), flushMs).unref();
    },
    flush,
  };
}
