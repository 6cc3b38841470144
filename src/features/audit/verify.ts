import type { Db } from "../../platform/db/index.ts";
import { checkHead, type HeadCheck, hashEntry, isSigned } from "./chain.ts";
import * as store from "./store.ts";

export interface Verdict {
  /** The organization's id, or `instance`. */
  scope: string;
  /** The number of entries in the database. */
  entries: number;
  /** The number of entries that were removed after their retention. */
  pruned: number;
  /** The sequence of the newest entry. */
  sequence: number;
  hash: string;
  /** The result of checking the signature of the head. */
  signature: HeadCheck;
  /** What is wrong with the chain. Empty when it is intact. */
  faults: string[];
  /** What could not be checked. Not a fault. */
  notes: string[];
}

/** An entry that somebody noted elsewhere. */
export interface ExpectedEntry {
  scope: string;
  sequence: number;
  hash: string;
}

export interface VerifyOptions {
  only?: string | undefined;
  expected?: readonly ExpectedEntry[];
}

const chainsPerPage = 100;
const entriesPerPage = 1_000;
const maxFaults = 20;
const maxMissing = 1_000;

/** Verifies every chain, or the chain `only`. A missing chain also gets a verdict. */
export async function* verifyChains(
  db: Db,
  { only, expected = [] }: VerifyOptions = {},
): AsyncGenerator<Verdict> {
  let after = "";
  for (let more = true; more; ) {
    const chains = await store.listChainsAcrossOrganizations(db, after, chainsPerPage, only);
    for (const chain of chains) {
      const verdict = await verifyChain(db, chain, expected);
      if (verdict) yield verdict;
    }
    more = chains.length === chainsPerPage;
    after = chains.at(-1)?.scope ?? "";
  }
  for (const { scope } of await store.listMissingChainsAcrossOrganizations(db, maxMissing, only))
    yield reportMissingChain(
      scope,
      scope === store.instanceScope
        ? "the instance has no chain: it was removed"
        : "the organization has no chain: it was removed",
    );
  for (const { scope } of await store.listStrayScopesAcrossOrganizations(db, maxMissing, only))
    yield reportMissingChain(scope, "there are entries, but the chain that they belong to is gone");
}

const reportMissingChain = (scope: string, fault: string): Verdict => ({
  scope,
  entries: 0,
  pruned: 0,
  sequence: 0,
  hash: "",
  signature: "none",
  faults: [fault],
  notes: [],
});

/** Undefined when the organization was deleted during the verification. */
async function verifyChain(
  db: Db,
  listed: store.ListedChain,
  expected: readonly ExpectedEntry[],
): Promise<Verdict | undefined> {
  let chain: store.Head = listed;
  let walked = await verifyEntries(db, chain, expected);
  // Entries that are pruned during the verification would look missing.
  while (walked.faults.length) {
    const now = await store.findHeadAcrossOrganizations(db, chain.scope);
    if (!now && listed.hasOrganization && (await store.isDeletedAcrossOrganizations(db, chain.scope)))
      return undefined;
    if (!now || now.prunedSequence === chain.prunedSequence) break;
    chain = now;
    walked = await verifyEntries(db, chain, expected);
  }
  const signature = checkHead(db.signer, chain);
  const faults = [...walked.faults];
  const notes: string[] = [];
  const fault = signatureFaults[signature];
  if (fault) faults.unshift(fault);
  if (chain.startedLate)
    faults.unshift("the chain was started late: an earlier chain was removed and is lost");
  if (!listed.hasOrganization) faults.unshift("the organization of the chain does not exist");
  for (const { sequence } of expected.filter((one) => one.scope === chain.scope)) {
    if (sequence >= chain.prunedSequence) continue;
    const text = `the noted entry ${sequence} no longer exists: entries up to ${chain.prunedSequence} are marked as pruned`;
    if (isSigned(signature)) notes.push(`${text}, and the mark is signed`);
    else faults.push(`${text}, and the mark is not signed`);
  }
  const { scope, sequence, hash, prunedSequence: pruned } = chain;
  return { scope, entries: walked.entries, pruned, sequence, hash, signature, faults, notes };
}

const signatureFaults: Record<HeadCheck, string | undefined> = {
  current: undefined,
  previous: undefined,
  none: "the chain is not signed: either it is older than signatures and nobody has run `signalbox audit sign` since, or somebody has removed the signature",
  invalid:
    "the signature does not match this chain: its end, its pruning mark or its retention was changed outside of Signalbox",
  unknown:
    "the chain is signed under a secret that is not configured: put that secret into SIGNALBOX_SECRET_PREVIOUS",
};

/** Verifies the entries without the signature. */
export async function verifyEntries(
  db: Db,
  chain: store.Head,
  expected: readonly ExpectedEntry[] = [],
): Promise<{ entries: number; faults: string[] }> {
  const { scope, prunedSequence, prunedHash, sequence } = chain;
  const noted = new Map(
    expected.filter((one) => one.scope === scope).map((one) => [one.sequence, one.hash] as const),
  );
  const faults: string[] = [];
  const fault = (text: string) => void (faults.length < maxFaults && faults.push(text));
  const compare = (at: number, hash: string) => {
    if (noted.has(at) && noted.get(at) !== hash) fault(`entry ${at} is not the one that was noted`);
  };
  let entries = 0;
  let at = prunedSequence;
  let before = prunedHash;
  compare(at, before);
  for (;;) {
    const rows = await store.listEntriesAcrossOrganizations(db, scope, at, sequence, entriesPerPage);
    for (const row of rows) {
      if (row.sequence !== at + 1) fault(`${describeRange(at + 1, row.sequence - 1)} missing`);
      else if (row.previousHash !== before) fault(`entry ${row.sequence} does not follow the one before it`);
      if (hashEntry(row.previousHash, row.sequence, row) !== row.hash)
        fault(`entry ${row.sequence} (${row.id}, ${row.action}) was changed`);
      compare(row.sequence, row.hash);
      at = row.sequence;
      before = row.hash;
      entries++;
    }
    if (rows.length < entriesPerPage) break;
  }
  if (at < sequence) fault(`${describeRange(at + 1, sequence)} missing at the end`);
  else if (before !== chain.hash) fault(`entry ${at} is not the one that the chain ends with`);
  for (const one of noted.keys())
    if (one > sequence) fault(`the chain ends at ${sequence}, before the noted entry ${one}`);
  const outside = await store.countStrayEntriesAcrossOrganizations(db, chain);
  if (outside?.count) fault(`${outside.count} entries lie outside of the chain`);
  return { entries, faults };
}

const describeRange = (from: number, to: number) =>
  from === to ? `entry ${from} is` : `entries ${from} to ${to} are`;
