import { classifyChange, findRenames } from "../comparison/index.ts";
import type { ToolDefinition } from "../contract.ts";
import type { HashedTool, NormalizedListing } from "../definitions/index.ts";
import { instructionsName } from "../store.ts";
import type { Change, KnownTool } from "./store.ts";

/** What a listing means for the stored tools. */
export interface Comparison {
  changes: Change[];
  /** Tools that nobody approved and that are gone. */
  forgotten: string[];
}

export interface CompareOptions {
  /** Whether tools that are not in the listing are gone. */
  findsRemoved(tool: KnownTool): boolean;
}

const isSame = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((value, index) => value === other[index]);

/** True when the listing has nothing new for these tools, so that nothing is written. */
export function isUnchanged(
  known: readonly KnownTool[],
  { tools, instructions }: NormalizedListing,
  { findsRemoved }: CompareOptions,
): boolean {
  const byName = new Map(known.map((tool) => [tool.name, tool]));
  if ((byName.get(instructionsName)?.latestHash ?? null) !== (instructions?.hash ?? null)) return false;
  for (const [name, { hash }] of tools) {
    const tool = byName.get(name);
    if (tool?.latestHash !== hash || tool.isSeenLongAgo) return false;
  }
  return known.every(
    (tool) =>
      tool.name === instructionsName ||
      tools.has(tool.name) ||
      tool.latestHash === null ||
      !findsRemoved(tool),
  );
}

/** Compares a listing with what is known. `approved` has the definitions of all tools that need a comparison. */
export function compareListing(
  known: readonly KnownTool[],
  { tools, instructions }: NormalizedListing,
  approved: ReadonlyMap<string, ToolDefinition>,
  { findsRemoved }: CompareOptions,
): Comparison {
  const byName = new Map(known.map((tool) => [tool.name, tool]));
  const gone = known.filter(
    (tool) => tool.name !== instructionsName && !tools.has(tool.name) && findsRemoved(tool),
  );
  const removed = gone.filter(({ approvedHash }) => approvedHash !== null);
  const added = [...tools].filter(([name]) => (byName.get(name)?.approvedHash ?? null) === null);
  const renames = findRenames(
    removed.flatMap(({ name }) => approved.get(name) ?? []),
    added.map(([, { definition }]) => definition),
  );
  const changes = [
    ...[...tools].map(([name, tool]) => compareTool(name, tool, byName.get(name), approved, renames)),
    ...removed.map(({ name }) => toRemoved(name)),
    ...compareInstructions(byName.get(instructionsName), instructions),
  ].filter((change) => isNews(change, byName.get(change.name)));
  const forgotten = gone.filter(({ approvedHash }) => approvedHash === null).map(({ name }) => name);
  return { changes, forgotten };
}

function compareTool(
  name: string,
  { definition, hash }: HashedTool,
  known: KnownTool | undefined,
  approved: ReadonlyMap<string, ToolDefinition>,
  renames: ReadonlyMap<string, string>,
): Change {
  const change = { name, latest: definition, latestHash: hash, renamedFrom: null };
  if (known?.approvedHash === hash) return { ...change, drift: [] };
  const before = approved.get(name);
  if (before) return { ...change, drift: classifyChange(before, definition) };
  const renamedFrom = renames.get(name) ?? null;
  return { ...change, drift: [renamedFrom === null ? "added" : "renamed"], renamedFrom };
}

const toRemoved = (name: string): Change => ({
  ...{ name, latest: null, latestHash: null, drift: ["removed"], renamedFrom: null },
});

function compareInstructions(
  known: KnownTool | undefined,
  instructions: NormalizedListing["instructions"],
): Change[] {
  if (!known && !instructions) return [];
  const { text: latest, hash: latestHash } = instructions ?? { text: null, hash: null };
  const isApproved = (known?.approvedHash ?? null) === latestHash;
  return [
    {
      ...{ name: instructionsName, latest, latestHash, renamedFrom: null },
      drift: isApproved ? [] : ["instructions_changed"],
    },
  ];
}

const isNews = (change: Change, known: KnownTool | undefined): boolean =>
  !known ||
  known.latestHash !== change.latestHash ||
  known.renamedFrom !== change.renamedFrom ||
  !isSame(known.drift, change.drift) ||
  (change.latestHash !== null && known.isSeenLongAgo);
