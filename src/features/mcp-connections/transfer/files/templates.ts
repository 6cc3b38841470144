/** A value that the file refers to but does not contain. */
interface Placeholder {
  name: string;
  /** What the file says to use when there is no value. */
  fallback?: string;
}

/** A text with placeholders. */
export type Template = readonly (string | Placeholder)[];

/** Which placeholders a text can have: addresses, headers of a client's file, or headers of a registry. */
export type Syntax = "url" | "header" | "registry";

const name = "[A-Za-z_][\\w.-]*";
// ${NAME}, ${NAME:-default}, ${env:NAME} and ${input:id} of clients; {env:NAME} and {file:path} of OpenCode.
const client = `\\$\\{(?:env:|input:)?(?<client>${name})(?::-(?<fallback>[^}]*))?\\}|\\{(?:env|file):(?<opencode>[^}\\s]+)\\}`;
// {name} of a registry, and of addresses that documentation shows.
const registry = `\\{(?<registry>${name})\\}`;
// <YOUR_TOKEN> of documentation. In a header only as a whole word, because a secret may contain any character.
const shown = "<(?<shown>[A-Za-z][\\w .-]*)>";
const word = "(?<=^|\\s)";
const wordEnd = "(?=$|\\s)";
// $NAME of Gemini CLI.
const gemini = `${word}\\$(?<gemini>[A-Z_][A-Z0-9_]*)${wordEnd}`;

const patterns: Record<Syntax, RegExp> = {
  url: new RegExp(`${client}|${registry}|${shown}`, "g"),
  header: new RegExp(`${client}|${word}${shown}${wordEnd}|${gemini}`, "g"),
  registry: new RegExp(`${client}|${registry}`, "g"),
};

export function parseTemplate(text: string, syntax: Syntax): Template {
  const parts: (string | Placeholder)[] = [];
  let end = 0;
  for (const match of text.matchAll(patterns[syntax])) {
    const { fallback, ...names } = match.groups ?? {};
    const found = Object.values(names).find((one) => one !== undefined);
    if (found === undefined) continue;
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push({ name: found, ...(fallback === undefined ? {} : { fallback }) });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** Returns the placeholders, each once. */
export function listPlaceholders(templates: readonly Template[]): Placeholder[] {
  const found = new Map<string, Placeholder>();
  for (const part of templates.flat()) {
    if (typeof part !== "string" && !found.has(part.name)) found.set(part.name, part);
  }
  return [...found.values()];
}

/** Returns the text with the values, or undefined when a value is missing. */
export function fillTemplate(
  template: Template,
  values: Readonly<Record<string, string>>,
): string | undefined {
  let text = "";
  for (const part of template) {
    const value = typeof part === "string" ? part : findValue(part, values);
    if (value === undefined) return undefined;
    text += value;
  }
  return text;
}

function findValue({ name: key, fallback }: Placeholder, values: Readonly<Record<string, string>>) {
  const given = Object.hasOwn(values, key) ? values[key] : undefined;
  return given === undefined || given === "" ? fallback : given;
}

/** The text with `{name}` for each placeholder, for people. */
export const showTemplate = (template: Template): string =>
  template.map((part) => (typeof part === "string" ? part : `{${part.name}}`)).join("");
