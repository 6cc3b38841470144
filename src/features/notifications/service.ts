import type { OrgId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { newId } from "../../platform/ids.ts";
import { createEventKey, type Fact } from "./facts.ts";
import * as store from "./store.ts";

/** Removes what a jsonb column cannot store, because texts from outside servers can contain anything. */
const removeUnstorable = (_name: string, value: unknown) =>
  typeof value === "string" ? value.replaceAll("\0", "").toWellFormed() : value;

/**
 * Announces a fact in the transaction that makes it true, with one statement. A fact that is announced twice is one
 * event.
 */
export async function announce(tx: Db, orgId: OrgId, fact: Fact): Promise<void> {
  const data = JSON.stringify(fact, removeUnstorable);
  await store.insert(tx, orgId, { id: newId("evt"), type: fact.type, key: createEventKey(fact), data });
}
