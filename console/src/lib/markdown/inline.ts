/** The inside of a line of Markdown. */
export type Inline =
  | { type: "text"; text: string }
  | { type: "code"; text: string }
  | { type: "strong" | "em" | "del"; content: Inline[] }
  | { type: "link"; href: string; content: Inline[] }
  | { type: "break" };

/** Deeper nesting is shown as text. */
const maxDepth = 8;

/** Only addresses that a person may follow. Everything else, such as `javascript:`, stays text. */
const isAddress = (href: string): boolean => /^(?:https?:\/\/|mailto:)[^\s]+$/i.test(href);

const markers = { "**": "strong", __: "strong", "~~": "del", "*": "em", _: "em" } as const;
type Marker = keyof typeof markers;
const isMarker = (text: string): text is Marker => text in markers;

/** One thing that is not plain text. No part of it can match in two ways, so it reads each text once. */
const token =
  /\\([\\`*_{}[\]()#+\-.!|~<>])|(`+)([^`]+)\2(?!`)|!?\[([^\]\n]{0,500})\]\(([^()\s]{1,2000})(?:\s+"[^"\n]{0,200}")?\)|<(https?:\/\/[^\s<>]{1,2000})>|(https?:\/\/[^\s<>()"'`*]{1,2000}[^\s<>()"'`*.,;:!?])|(\*\*|__|~~|\*|_)|( {2,}|\\)\n/g;

export function parseInline(source: string, depth = 0): Inline[] {
  if (depth > maxDepth) return [{ type: "text", text: source }];
  const found: Inline[] = [];
  const addText = (text: string) => {
    const last = found.at(-1);
    if (text === "") return;
    if (last?.type === "text") last.text += text;
    else found.push({ type: "text", text });
  };
  let at = 0;
  const pattern = new RegExp(token);
  for (let match = pattern.exec(source); match; match = pattern.exec(source)) {
    const [whole, escaped, , code, label, href, autolink, bare, marker, lineEnd] = match;
    addText(source.slice(at, match.index));
    at = match.index + whole.length;
    if (escaped !== undefined) addText(escaped);
    else if (code !== undefined) found.push({ type: "code", text: code.trim() });
    else if (href !== undefined) {
      if (isAddress(href)) found.push({ type: "link", href, content: parseInline(label || href, depth + 1) });
      // A relative address belongs to the repository, so only its label is of use here.
      else found.push(...parseInline(label || whole, depth + 1));
    } else if (autolink !== undefined || bare !== undefined) {
      const address = (autolink ?? bare)!;
      found.push({ type: "link", href: address, content: [{ type: "text", text: address }] });
    } else if (lineEnd !== undefined) found.push({ type: "break" });
    else if (marker !== undefined && isMarker(marker)) {
      const end = findClosing(source, at, marker);
      if (end === undefined) addText(marker);
      else {
        found.push({ type: markers[marker], content: parseInline(source.slice(at, end), depth + 1) });
        at = end + marker.length;
        pattern.lastIndex = at;
      }
    }
  }
  addText(source.slice(at));
  return found;
}

/** How far a closing marker is searched. Without a limit, many markers without a partner take long. */
const maxDistance = 2_000;

/** Where the marker is closed. Undefined when it is not, or when it is part of a word or of a number. */
function findClosing(source: string, from: number, marker: Marker): number | undefined {
  const before = source[from - marker.length - 1];
  if (source[from] === undefined || /\s/.test(source[from])) return undefined;
  if (marker.startsWith("_") && before !== undefined && /\w/.test(before)) return undefined;
  const limit = Math.min(source.length, from + maxDistance);
  for (
    let at = source.indexOf(marker, from + 1);
    at !== -1 && at < limit;
    at = source.indexOf(marker, at + 1)
  ) {
    const after = source[at + marker.length];
    if (/\s/.test(source[at - 1]!)) continue;
    if (marker.length === 1 && (after === marker || source[at - 1] === marker)) continue;
    if (marker.startsWith("_") && after !== undefined && /\w/.test(after)) continue;
    return at;
  }
  return undefined;
}
