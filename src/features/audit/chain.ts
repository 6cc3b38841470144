import { hash } from "node:crypto";
import type { OrgId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { SignatureCheck, Signer } from "../../platform/keyring.ts";
import { type Entry, serializeEntry } from "./entry.ts";
import * as store from "./store.ts";

/** The hash of an entry commits to the whole chain before it. */
export const hashEntry = (previousHash: string, sequence: number, entry: Entry): string =>
  hash(
    "sha256",
    Buffer.concat([Buffer.from(previousHash, "hex"), Buffer.from(`${sequence} ${serializeEntry(entry)}`)]),
    "hex",
  );

const signaturePurpose = "audit chain";

/** Changing this text invalidates every existing signature. */
const serializeHead = (head: store.Head): string =>
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

const signHead = (signer: Signer, head: store.Head): string =>
  signer.sign(signaturePurpose, serializeHead(head));

/** `none` means that the chain was never signed, or that somebody removed the signature. */
export type HeadCheck = SignatureCheck | "none";

export const checkHead = (signer: Signer, head: store.Head): HeadCheck =>
  head.signature === null
    ? "none"
    : signer.checkSignature(signaturePurpose, serializeHead(head), head.signature);

export const isSigned = (check: HeadCheck): boolean => check === "current" || check === "previous";

/** The first entry of an organization's chain has one of these actions. */
const firstActions = ["organization.created", "organization.bootstrapped"];

/**
 * Adds an entry and signs the new head. If the old head has no valid signature, the new one is not signed either,
 * because that would confirm a forgery. `force` signs it anyway, by the operator's decision.
 */
export async function appendEntry(
  tx: Db,
  orgId: OrgId | null,
  entry: Entry,
  { force = false } = {},
): Promise<void> {
  const { head, isNew } = await lockOrStartChain(tx, orgId, entry);
  const sequence = head.sequence + 1;
  const next = { ...head, sequence, hash: hashEntry(head.hash, sequence, entry) };
  const signs = isNew || force || isSigned(checkHead(tx.signer, head));
  const signature = signs ? signHead(tx.signer, next) : head.signature;
  await store.append(tx, { ...next, signature }, head.hash, entry);
}

async function lockOrStartChain(tx: Db, orgId: OrgId | null, { action }: Entry) {
  const scope = orgId ?? store.instanceScope;
  const existing = await store.lockHeadAcrossOrganizations(tx, scope);
  if (existing) return { head: existing, isNew: false };
  const startedLate = orgId ? !firstActions.includes(action) : await store.hasEarlierUsers(tx);
  const started = await store.startChain(tx, orgId, startedLate);
  if (started) return { head: started, isNew: true };
  // Another transaction started the chain and committed first.
  return { head: (await store.lockHeadAcrossOrganizations(tx, scope))!, isNew: false };
}

type HeadChange = Partial<Pick<store.Head, "retentionDays" | "prunedSequence" | "prunedHash" | "prunedAt">>;

/** Changes a head without adding an entry. If its signature was valid, it is signed again under the current key. */
export async function changeHead(tx: Db, scope: string, change: HeadChange): Promise<void> {
  const head = await store.lockHeadAcrossOrganizations(tx, scope);
  if (!head) return;
  const next = { ...head, ...change };
  const signature = isSigned(checkHead(tx.signer, head)) ? signHead(tx.signer, next) : head.signature;
  await store.saveHeadAcrossOrganizations(tx, { ...next, signature });
}
