import type { Db } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import type { Log } from "../../../platform/log.ts";
import { defineState } from "../../../platform/state.ts";
import { scimPrefix } from "../connectors/index.ts";
import * as store from "./store.ts";

interface Call extends Omit<store.NewCall, "id"> {
  tokenId: string | undefined;
}

interface CallLog {
  note(call: Call): void;
  flush(): Promise<void>;
}

interface Pending extends store.CallCounts {
  kept: store.NewCall[];
}

const flushMs = 1_000;
const maxPathLength = 1_000;
const maxErrorLength = 500;

/** Removes what a column cannot store. One such text would fail the insert of the calls of all organizations. */
const cut = (text: string, max: number) => hideTokens(text.replaceAll("\0", "")).slice(0, max).toWellFormed();
/** A directory may send its token in the URL. More people can read the log than may have the token. */
const hideTokens = (text: string) => text.replace(new RegExp(`${scimPrefix}\\w+`, "g"), `${scimPrefix}…`);

/** The calls that this process has not written yet. A synchronization of thousands of calls causes few writes. */
export const callLog = defineState({
  name: "SCIM calls",
  create: ({ db, log }) => createCallLog(db.withOptions({ work: "background", share: "SCIM calls" }), log),
  stop: (log) => log.flush(),
});

function createCallLog(db: Db, log: Log): CallLog {
  let pending = new Map<string, Pending>();
  let tokens = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (pending.size === 0) return;
    const all = [...pending.values()];
    const tokenIds = [...tokens];
    [pending, tokens] = [new Map(), new Set()];
    try {
      await store.insertAcrossOrganizations(
        db,
        all.flatMap(({ kept }) => kept),
      );
      await store.countAcrossOrganizations(
        db,
        all.map(({ kept: _, ...counts }) => counts),
      );
      await store.trimAcrossOrganizations(
        db,
        all.map(({ connectorId }) => connectorId),
      );
      await store.recordTokenUseAcrossOrganizations(db, tokenIds);
    } catch (error) {
      log.warn({ err: error }, "SCIM calls not written");
    }
  }

  return {
    note({ tokenId, ...call }) {
      const { connectorId, status, calledAt } = call;
      const isError = status >= 400;
      const error = call.error === null ? null : cut(call.error, maxErrorLength);
      const one = pending.get(connectorId) ?? {
        ...{ connectorId, calls: 0, errors: 0, lastCallAt: 0, lastErrorAt: null, lastError: null },
        kept: [],
      };
      one.calls++;
      // Calls are noted in the order in which they end.
      one.lastCallAt = Math.max(one.lastCallAt, calledAt);
      if (isError) one.errors++;
      if (isError && calledAt >= (one.lastErrorAt ?? 0))
        Object.assign(one, { lastErrorAt: calledAt, lastError: error });
      one.kept.push({ ...call, id: newId("scl"), error, path: cut(call.path, maxPathLength) });
      if (one.kept.length > store.maxCalls) one.kept.shift();
      pending.set(connectorId, one);
      if (tokenId !== undefined) tokens.add(tokenId);
      timer ??= setTimeout(() => void flush(), flushMs).unref();
    },
    flush,
  };
}
