import type { ToolDefinition } from "../contract.ts";
import { canonicalize, isObject } from "../definitions/index.ts";

/** Comparing every pair takes time, so beyond so many pairs only tools with the same description are. */
const maxPairs = 10_000;
const minScore = 0.7;

interface Traits {
  name: string;
  schema: string;
  hasProperties: boolean;
  properties: Set<string>;
  description: string;
  words: Set<string>;
}

function readTraits(definition: ToolDefinition): Traits {
  const { name, inputSchema, description = "" } = definition;
  const properties = new Set(isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : []);
  return {
    name,
    properties,
    description,
    schema: canonicalize(inputSchema),
    hasProperties: properties.size > 0,
    words: new Set(description.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []),
  };
}

/** The share of common elements. Two empty sets have nothing in common that would tell. */
function overlap(one: Set<string>, other: Set<string>): number {
  const common = [...one].filter((element) => other.has(element)).length;
  const all = one.size + other.size - common;
  return all === 0 ? 0 : common / all;
}

function scorePair(one: Traits, other: Traits): number {
  const sameSchema = one.hasProperties && one.schema === other.schema;
  const sameText = one.description !== "" && one.description === other.description;
  if (sameSchema && sameText) return 1;
  if (sameText) return 0.95;
  if (sameSchema) return 0.9;
  return (overlap(one.words, other.words) + overlap(one.properties, other.properties)) / 2;
}

/**
 * Finds the tools that seem to have only another name: a tool is gone, and a similar one is new. Returns the earlier
 * name by the new one. A rename would otherwise pass for a new tool whose earlier approval nobody looks at.
 */
export function findRenames(
  removed: readonly ToolDefinition[],
  added: readonly ToolDefinition[],
): Map<string, string> {
  const [from, to] = [removed.map(readTraits), added.map(readTraits)];
  const isSmall = from.length * to.length <= maxPairs;
  const byText = Map.groupBy(to, ({ description }) => description);
  const pairs = from.flatMap((one) =>
    (isSmall ? to : one.description === "" ? [] : (byText.get(one.description) ?? []).slice(0, 10)).flatMap(
      (other) => toPair(one, other),
    ),
  );
  const renames = new Map<string, string>();
  const used = new Set<string>();
  for (const { one, other } of pairs.sort(comparePairs)) {
    if (used.has(one) || renames.has(other)) continue;
    used.add(one);
    renames.set(other, one);
  }
  return renames;
}

interface Pair {
  one: string;
  other: string;
  score: number;
}

function toPair(one: Traits, other: Traits): Pair[] {
  const score = scorePair(one, other);
  return score >= minScore ? [{ one: one.name, other: other.name, score }] : [];
}

const comparePairs = (a: Pair, b: Pair) =>
  b.score - a.score || (a.one < b.one ? -1 : a.one > b.one ? 1 : a.other < b.other ? -1 : 1);
