import { invalidFilter } from "../errors.ts";
import { isStorable } from "../resources/index.ts";

export type Token =
  | { is: "word"; text: string; at: number }
  | { is: "value"; text: string; value: string | number | boolean | null; at: number }
  | { is: "bracket"; text: "(" | ")" | "[" | "]"; at: number }
  | { is: "end"; text: ""; at: number };

/** Longest filter or path, in characters. */
const maxLength = 4_000;

/** A space, a bracket, text in quotation marks, a number, or a name. No alternative begins like another. */
const pattern =
  /(\s+)|([()[\]])|("(?:[^"\\]|\\.)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w$.:/%-]))|(\.?[A-Za-z_$][\w$.:/%-]*)/suy;

/** The words that are values. JSON knows no others. */
const literals: Record<string, boolean | null> = { true: true, false: false, null: null };

export function readTokens(text: string): Token[] {
  if (text.length > maxLength) throw invalidFilter(`A filter has at most ${maxLength} characters.`);
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match) throw invalidFilter(`The filter is not readable at character ${at + 1}.`);
    const [whole, space, bracket, quoted, number, word] = match;
    if (space) continue;
    if (bracket) tokens.push({ is: "bracket", text: bracket as "(", at });
    else if (quoted) tokens.push({ is: "value", text: quoted, value: readQuoted(quoted, at), at });
    else if (number) tokens.push({ is: "value", text: number, value: Number(number), at });
    else if (Object.hasOwn(literals, word!))
      tokens.push({ is: "value", text: whole, value: literals[word!]!, at });
    else tokens.push({ is: "word", text: whole, at });
  }
  tokens.push({ is: "end", text: "", at: text.length });
  return tokens;
}

/** Text is written as in JSON (RFC 7644, 3.4.2.2). */
function readQuoted(quoted: string, at: number): string {
  let text: string;
  try {
    text = JSON.parse(quoted) as string;
  } catch {
    throw invalidFilter(`The text at character ${at + 1} is not valid JSON. Escape " and \\ with \\.`);
  }
  if (!isStorable(text))
    throw invalidFilter(`The text at character ${at + 1} has a character that no value contains.`);
  return text;
}
