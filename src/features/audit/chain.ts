import { hash } from "node:crypto";
import type { OrgId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { SignatureCheck, Signer } from "../../platform/keyring.ts";
import { canonical, type Entry } from "./entry.ts";
import * as store from "./store.ts";

/** The hash of an entry commits to the whole chain before it. */
export const hashEntry = (previousHash: string, sequence: number, entry: Entry): string =>
  hash(
    "sha256",
    Buffer.concat([Buffer.from(previousHash, "hex"), Buffer.from(`${sequence} ${canonical(entry)}`)]),
    "hex",
  );

const purpose = "audit chain";

/** Changing this text invalidates every signature there is. */
const signedText = (head: store.Head): string =>
  JSON.stringify([
    head.scope,
    head.sequence,
    head.hash,
    head.prunedSequence,
    head.prunedHash,
    head.prunedAt,
    head.retentionDays,
    head.startedLate,
  ]);

const sign = (signer: Signer, head: store.Head): string => signer.sign(purpose, signedText(head));

/** `none`: the chain was never signed, or somebody has removed the signature. */
export type HeadCheck = SignatureCheck | "none";

export const checkHead = (signer: Signer, head: store.Head): HeadCheck =>
  head.signature === null ? "none" : signer.checkSignature(purpose, signedText(head), head.signature);

export const isSigned = (check: HeadCheck): boolean => check === "current" || check === "previous";

/** An organization's chain starts with one of these. */
const firstActions = ["organization.created", "organization.bootstrapped"];

/**
 * Adds an entry and signs the new end. A head whose signature is missing or wrong is not signed: that would
 * turn somebody's forgery into ours. `force` is for the operator's decision to do it nevertheless.
 */
export async function appendEntry(
  tx: Db,
  orgId: OrgId | null,
  entry: Entry,
  { force = false } = {},
): Promise<void> {
  const { head, isNew } = await lockOrStart(tx, orgId, entry);
  const sequence = head.sequence + 1;
  const next = { ...head, sequence, hash: hashEntry(head.hash, sequence, entry) };
  const signs = isNew || force || isSigned(checkHead(tx.signer, head));
  const signature = signs ? sign(tx.signer, next) : head.signature;
  await store.append(tx, { ...next, signature }, head.hash, entry);
}

async function lockOrStart(tx: Db, orgId: OrgId | null, { action }: Entry) {
  const scope = orgId ?? store.instanceScope;
  const existing = await store.lockHeadAcrossOrganizations(tx, scope);
  if (existing) return { head: existing, isNew: false };
  const startedLate = orgId ? !firstActions.includes(action) : await store.hasEarlierUsers(tx);
  const started = await store.startChain(tx, orgId, startedLate);
  if (started) return { head: started, isNew: true };
  // Another transaction has started it and committed.
  return { head: (await store.lockHeadAcrossOrganizations(tx, scope))!, isNew: false };
}

type Change = Partial<Pick<store.Head, "retentionDays" | "prunedSequence" | "prunedHash" | "prunedAt">>;

/** Changes a head without adding an entry; signs it under the current key if it was signed. */
export async function changeHead(tx: Db, scope: string, change: Change): Promise<void> {
  const head = await store.lockHeadAcrossOrganizations(tx, scope);
  if (!head) return;
  const next = { ...head, ...change };
  const signature = isSigned(checkHead(tx.signer, head)) ? sign(tx.signer, next) : head.signature;
  await store.saveHeadAcrossOrganizations(tx, { ...next, signature });
}
