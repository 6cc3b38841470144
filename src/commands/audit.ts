import type { Verdict } from "../features/audit/index.ts";
import { readArguments, UsageError } from "./arguments.ts";
import { exit, type Io } from "./io.ts";

const help = `
Usage: signalbox audit verify [--organization ID] [--expect SCOPE:SEQUENCE:HASH]… [--json]

Walks the audit log and says whether each entry is what it was and stands where it stood. One line for
each chain: there is one per organization, and one called "instance". Ends with 1 if something was
changed, removed or slipped in.

Whoever can write to the database could also rewrite a chain whole, from the changed entry to its end.
To notice that, keep the end of a chain (the last words of its line) elsewhere, and give it back later.

Options:
  --organization ID   only this one
  --expect …          the entry with this number has this hash; can be given several times
  --json              one JSON object a line

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
      json: { type: "boolean" },
    },
  });
  if (words[0] !== "verify") throw new UsageError('The one thing to do here is "verify".');
  const expected = (values.expect ?? []).map(parseExpected);
  const { verifyAll } = await import("../features/audit/index.ts");
  const { db } = await io.database();
  let broken = 0;
  const seen = new Set<string>();
  for await (const verdict of verifyAll(db, { only: values.organization, expected })) {
    seen.add(verdict.scope);
    if (verdict.faults.length) broken++;
    if (values.json) io.out(JSON.stringify(verdict));
    else for (const line of linesOf(verdict)) io.out(line);
    if (io.signal.aborted) {
      io.err("Stopped before the end.");
      return exit.failed;
    }
  }
  const missing = [...new Set([...expected.map(({ scope }) => scope), values.organization])].filter(
    (scope) => scope !== undefined && !seen.has(scope),
  );
  for (const scope of missing) io.err(`There is no audit log of ${scope}.`);
  if (seen.size === 0 && missing.length === 0) io.err("There are no audit entries yet.");
  return broken + missing.length > 0 ? exit.failed : exit.ok;
}

function parseExpected(text: string) {
  const [, scope, sequence, hash] = /^([\w]+):(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (!scope || !hash) throw new UsageError(`"${text}" is not of the form SCOPE:SEQUENCE:HASH.`);
  return { scope, sequence: Number(sequence), hash };
}

function linesOf({ scope, entries, sequence, hash, faults }: Verdict): string[] {
  if (faults.length === 0) return [`✓ ${scope}: ${entries} entries, up to ${scope}:${sequence}:${hash}`];
  return [`✗ ${scope}:`, ...faults.map((fault) => `  ${fault}`)];
}
