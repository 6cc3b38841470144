import type { OrgId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { newId } from "../../platform/ids.ts";
import { appendEntry, changeHead, checkHead, type HeadCheck, isSigned } from "./chain.ts";
import { systemActor } from "./entry.ts";
import * as store from "./store.ts";
import { verifyEntries } from "./verify.ts";

/** A signature starts with the id of its key, as a sealed value does. */
export const signedChains = { table: "audit_chains", id: "scope", column: "signature" };

export interface SigningResult {
  scope: string;
  sequence: number;
  hash: string;
  /** The state of the signature before. */
  checkBefore: HeadCheck;
  /** Why the chain was not signed. Empty when it was. */
  faults: string[];
}

/**
 * Signs every unsigned chain, or the chain `only` unless its signature is valid. Only an operator can decide that an
 * unsigned chain is genuine, because the database cannot prove it. The decision becomes an entry of the chain.
 */
export async function* signChains(db: Db, only?: string): AsyncGenerator<SigningResult> {
  let after = "";
  for (;;) {
    const chains = await store.listChainsAcrossOrganizations(db, after, 100, only);
    for (const chain of chains) {
      const check = checkHead(db.signer, chain);
      if (only === undefined ? check === "none" : !isSigned(check)) yield signChain(db, chain.scope);
    }
    if (chains.length < 100) return;
    after = chains.at(-1)!.scope;
  }
}

/** Verifies the chain while its head is locked, so that it signs exactly what it verified. */
const signChain = (db: Db, scope: string): Promise<SigningResult> =>
  db.transaction(async (tx) => {
    const head = (await store.lockHeadAcrossOrganizations(tx, scope))!;
    const checkBefore = checkHead(db.signer, head);
    const { faults } = await verifyEntries(tx, head);
    const { sequence, hash } = head;
    if (faults.length === 0) {
      const orgId = scope === store.instanceScope ? null : (scope as OrgId);
      const entry = {
        id: newId("aud"),
        at: Date.now(),
        action: "audit_chain.signed",
        ...systemActor,
        targetType: "audit_chain",
        targetId: scope,
        before: JSON.stringify({ signature: checkBefore }),
        after: JSON.stringify({ sequence, hash }),
      };
      await appendEntry(tx, orgId, entry, { force: true });
    }
    return { scope, sequence, hash, checkBefore, faults };
  });

export interface SignatureRenewal {
  current: number;
  previous: number;
  unknown: number;
  renewed: number;
  /** Chains that failed verification. They keep their signature. */
  broken: { row: string; why: string }[];
}

/** Signs chains of a previous key again under the current key, after verifying their entries. */
export async function renewChainSignatures(
  db: Db,
  { checkOnly }: { checkOnly: boolean },
): Promise<SignatureRenewal> {
  const found: SignatureRenewal = { current: 0, previous: 0, unknown: 0, renewed: 0, broken: [] };
  let after = "";
  for (;;) {
    const chains = await store.listChainsAcrossOrganizations(db, after, 100);
    for (const chain of chains) {
      const check = checkHead(db.signer, chain);
      if (check === "current" || check === "unknown") found[check]++;
      if (check !== "previous") continue;
      const { faults } = checkOnly ? { faults: [] } : await verifyEntries(db, chain);
      if (checkOnly || faults.length) found.previous++;
      else {
        await db.transaction((tx) => changeHead(tx, chain.scope, {}));
        found.renewed++;
        found.current++;
      }
      if (faults.length) found.broken.push({ row: chain.scope, why: faults[0]! });
    }
    if (chains.length < 100) return found;
    after = chains.at(-1)!.scope;
  }
}
