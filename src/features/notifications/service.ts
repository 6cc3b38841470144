import type { OrgId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { newId } from "../../platform/ids.ts";
import { type Fact, keyOf } from "./facts.ts";
import * as store from "./store.ts";

/** What no column can hold is left out: texts of outside servers can be anything. */
const storable = (_name: string, value: unknown) =>
  typeof value === "string" ? value.replaceAll("\0", "").toWellFormed() : value;

/**
 * Announces a fact in the transaction that makes it true: both are there, or neither is. One statement. Announced
 * twice, it is one event.
 */
export async function announce(tx: Db, orgId: OrgId, fact: Fact): Promise<void> {
  const data = JSON.stringify(fact, storable);
  await store.insert(tx, orgId, { id: newId("evt"), type: fact.type, key: keyOf(fact), data });
}
