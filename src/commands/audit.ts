import type { SigningResult, Verdict } from "../features/audit/index.ts";
import { readArguments, UsageError } from "./arguments.ts";
import { exit, type Io } from "./io.ts";

const help = `
Usage: signalbox audit verify [--organization ID] [--expect SCOPE:SEQUENCE:HASH]… [--json]
       signalbox audit sign [--organization ID] [--json]

verify reads the whole audit log and checks that no entry was changed or moved, and that the end of each chain
has the signature of this instance. There is one chain per organization, and one called
"instance". It fails if something was changed, removed or inserted, if a chain is missing, or if a chain is
not signed.

Signatures need SIGNALBOX_SECRET, so write access to the database is not enough to forge one. It is enough to
put back an older state of the whole chain, for example from a backup. To notice that, keep the end of a chain
(the last words of its line) elsewhere, and give it back later with --expect.

sign signs chains that were never signed: run it once after an upgrade from a version without signatures.
With --organization it signs that chain whatever its signature is. It refuses a chain whose entries do not
hold, and it leaves an entry in the chain.

Options:
  --organization ID   only this one, or "instance"
  --expect …          the entry with this number has this hash; can be given several times
  --json              one JSON object a line; the last one has the counts

Exit codes: 0 everything holds, 1 something does not, 2 invalid usage

Examples:
  signalbox audit verify
  signalbox audit verify --expect org_01k…:812:9f2c…
`;

export async function audit(args: string[], io: Io): Promise<number> {
  const { values, words } = readArguments(args, {
    help,
    words: 1,
    options: {
      organization: { type: "string" },
      expect: { type: "string", multiple: true },
      json: { type: "boolean", default: false },
    },
  });
  const { organization: only, json } = values;
  if (words[0] === "sign") {
    if (values.expect) throw new UsageError("--expect belongs to verify.");
    return sign(io, only, json);
  }
  if (words[0] !== "verify") throw new UsageError('Say what to do: "verify" or "sign".');
  return verifyChains(io, only, (values.expect ?? []).map(parseExpected), json);
}

async function verifyChains(
  io: Io,
  only: string | undefined,
  expected: ReturnType<typeof parseExpected>[],
  json: boolean,
): Promise<number> {
  const { verifyChains } = await import("../features/audit/index.ts");
  // A chain that was signed with another secret is reported as its own finding.
  const { db } = await io.database({ anySecret: true });
  const counts = { chains: 0, entries: 0, pruned: 0, failures: 0 };
  const seen = new Set<string>();
  for await (const verdict of verifyChains(db, { only, expected })) {
    seen.add(verdict.scope);
    counts.chains++;
    counts.entries += verdict.entries;
    counts.pruned += verdict.pruned;
    if (verdict.faults.length) counts.failures++;
    if (json) io.out(JSON.stringify(verdict));
    else for (const line of describeVerdict(verdict)) io.out(line);
    if (io.signal.aborted) {
      io.err("Stopped before the end.");
      return exit.failed;
    }
  }
  const missing = [...new Set([...expected.map(({ scope }) => scope), only])].filter(
    (scope) => scope !== undefined && !seen.has(scope) && (only === undefined || scope === only),
  );
  counts.failures += missing.length;
  for (const scope of missing) io.err(`There is no audit log of ${scope}.`);
  if (json) io.out(JSON.stringify({ summary: counts }));
  else if (seen.size + missing.length === 0) io.err("There are no audit entries yet.");
  else io.out(describeCounts(counts));
  return counts.failures > 0 ? exit.failed : exit.ok;
}

async function sign(io: Io, only: string | undefined, json: boolean): Promise<number> {
  const { signChains } = await import("../features/audit/index.ts");
  const { db } = await io.database();
  let signed = 0;
  let failures = 0;
  for await (const signing of signChains(db, only)) {
    if (signing.faults.length) failures++;
    else signed++;
    if (json) io.out(JSON.stringify(signing));
    else for (const line of describeSigning(signing)) io.out(line);
    if (io.signal.aborted) {
      io.err("Stopped. Run the command again to continue.");
      return exit.failed;
    }
  }
  if (json) io.out(JSON.stringify({ summary: { signed, failures } }));
  else if (signed + failures === 0) io.out("Nothing to sign.");
  return failures > 0 ? exit.failed : exit.ok;
}

function parseExpected(text: string) {
  const [, scope, sequence, hash] = /^([\w]+):(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (!scope || !hash) throw new UsageError(`"${text}" is not of the form SCOPE:SEQUENCE:HASH.`);
  return { scope, sequence: Number(sequence), hash };
}

function describeVerdict({ scope, entries, pruned, sequence, hash, faults, notes }: Verdict): string[] {
  const details = [...faults, ...notes.map((note) => `note: ${note}`)].map((text) => `  ${text}`);
  if (faults.length) return [`✗ ${scope}:`, ...details];
  const removed = pruned ? ` (${pruned} removed when their time was over)` : "";
  return [`✓ ${scope}: ${entries} entries${removed}, up to ${scope}:${sequence}:${hash}`, ...details];
}

const describeCounts = (counts: { chains: number; entries: number; pruned: number; failures: number }) =>
  `${counts.chains} chains, ${counts.entries} entries, ${counts.pruned} pruned, ${counts.failures} failures`;

const describeSigning = ({ scope, sequence, hash, faults }: SigningResult): string[] =>
  faults.length
    ? [`✗ ${scope} was not signed, because its entries do not hold:`, ...faults.map((fault) => `  ${fault}`)]
    : [`✓ ${scope} is signed from ${scope}:${sequence}:${hash} on`];
