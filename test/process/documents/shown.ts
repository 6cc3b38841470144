/** What a document shows of a reply. */
import type { Block } from "./blocks.ts";

const pair = /"(\w+)":\s*(?:"([^"]*)"|(true|false)|.)/g;

/** The comments of a block: `# {"run":{"id":"run_…"}}`, also over several lines. */
function readComments({ text }: Block): string {
  return [...text.matchAll(/(?:^|\s)# ((?:\d{3} )?\s*[{"].*)$/gm)].map(([, comment]) => comment).join("\n");
}

/** Texts that must occur in the replies: each key, with its value where that is a text or a boolean. */
function readPairs(shown: string): string[] {
  return [...shown.matchAll(pair)].map(([, key, text, boolean]) => {
    if (boolean) return `"${key}":${boolean}`;
    if (text === undefined) return `"${key}":`;
    // The word that … shortens is an example; what stands before it is not.
    return `"${key}":"${text.replace(/[\w.:/]*….*$/s, "")}`;
  });
}

/** What the comments of a block show: JSON, or the names of fields such as `{secret, uri}`. */
export function readShownInComments(block: Block): string[] {
  const comments = readComments(block);
  const names = [...comments.matchAll(/^\{(\w+(?:, \w+)*)\}/gm)].flatMap(([, list]) => list!.split(", "));
  return [...readPairs(comments), ...names.map((name) => `"${name}":`)];
}

/** The keys of a block of JSON that shows the reply. Its values are examples. */
export function readShownKeys({ text }: Block): string[] {
  return [...text.matchAll(pair)].map(([, key]) => `"${key}":`).filter((key) => key !== '"…":');
}
