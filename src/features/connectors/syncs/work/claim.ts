import { randomUUID } from "node:crypto";
import type { OrgId, Platform } from "../../../../platform/context.ts";
import type { Db } from "../../../../platform/db/index.ts";
import type { SyncId } from "../store.ts";
import * as store from "./store.ts";

/** A sync that this process does, for as long as it renews its lease. */
export interface Claim {
  id: SyncId;
  attempt: number;
  /** What tells this taking of it from every other. */
  holder: string;
  target: store.TargetRow;
}

export const maxAttempts = 5;

/** The next piece of work that is not of these organizations; undefined when there is none. */
export async function claimNext(
  { db }: Pick<Platform, "db">,
  except: readonly OrgId[] = [],
): Promise<Claim | undefined> {
  for (;;) {
    const claim = await db.transaction((tx) => claimIn(tx, except));
    if (claim !== "settled") return claim;
  }
}

async function claimIn(tx: Db, except: readonly OrgId[]): Promise<Claim | "settled" | undefined> {
  const target = await store.lockIdleOfAll(tx, except);
  if (!target) return undefined;
  const { orgId, id: connectorId, status } = target;
  const live = await store.listLive(tx, orgId, connectorId);
  // A worker that was a moment faster has it, or has done it: there may be others.
  if (live.some(({ held }) => held)) return "settled";
  const chosen = live.find((one) => one.due && one.status === "queued") ?? live.find(({ due }) => due);
  if (!chosen) return "settled";
  // Whatever else waits wants the ref as it is now, which is what this one reads.
  const others = live.filter((one) => one !== chosen).map(({ id }) => id);
  if (others.length > 0) await store.supersede(tx, orgId, others);
  const over = (code: string, message: string) =>
    store.fail(tx, orgId, chosen.id, null, {
      code,
      message,
      retryable: false,
      commit: null,
      againInSeconds: null,
    });
  if (status !== "active") {
    await over(
      `connector_${status}`,
      status === "disabled"
        ? "The connector was switched off before its turn came."
        : "The code host had ended the connection before its turn came.",
    );
    return "settled";
  }
  if (chosen.attempt >= maxAttempts) {
    await over("worker_lost", `The process that did it ended in the middle, ${chosen.attempt} times.`);
    return "settled";
  }
  const holder = randomUUID();
  await store.take(tx, orgId, chosen.id, holder);
  return { id: chosen.id, attempt: chosen.attempt + 1, holder, target };
}
