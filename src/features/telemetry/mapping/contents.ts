/** Words in attribute names that say that the value is what people or models wrote. */
const contentWords = new Set([
  "prompt",
  "prompts",
  "completion",
  "completions",
  "message",
  "messages",
  "instruction",
  "instructions",
  "content",
  "contents",
  "text",
  "object",
  "body",
  "query",
  "queries",
  "input",
  "output",
  "value",
  "args",
  "argument",
  "arguments",
  "result",
  "results",
  "definition",
  "definitions",
  "document",
  "documents",
  "parameters",
  "command",
  "error",
  "stacktrace",
  "description",
  "explanation",
  "reasoning",
  "thinking",
  "thought",
  "thoughts",
  "template",
  "variables",
  "transcript",
]);

/** Words that say so at the end of a name. Elsewhere they group attributes, as in `gen_ai.response.id`. */
const lastContentWords = new Set([
  "call",
  "calls",
  "response",
  "reply",
  "question",
  "answer",
  "summary",
  "context",
  "schema",
]);

/** Last words of names that are figures or ids, not contents. */
const figureWords = new Set([
  "id",
  "ids",
  "count",
  "length",
  "token",
  "tokens",
  "type",
  "name",
  "size",
  "bytes",
  "ms",
  "role",
  "version",
  "cost",
  "status",
  "index",
]);

/** The words of a name, also of `user_prompt` and `ai.toolCall.args`. */
const listWords = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1.$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);

/** Identifies a person, a machine or an address. The member is known by the credential. */
const personal =
  /^(?:user|enduser|organization|host|process|client|url|net|db|exception)\.|^http\.(?:url|target)$/;

/** Headers of requests contain credentials: the AI SDK reports them as `ai.request.headers.authorization`. */
const secret =
  /(?:^|[._-])(?:headers?|authorization|cookies?|passwords?|secrets?|credentials?|api[._-]?key)(?:$|[._-])/i;

/** True when the value of an attribute may be something that people or models wrote. */
export function isContent(name: string, value: unknown): boolean {
  if (typeof value === "string" && value.length > maxPlainLength) return true;
  if (typeof value === "object" && value !== null) return true;
  if (typeof value !== "string") return false;
  const words = listWords(name);
  const last = words.at(-1)!;
  if (figureWords.has(last)) return false;
  return lastContentWords.has(last) || words.some((word) => contentWords.has(word));
}

/** Text that is longer than any name or id is taken for contents. */
export const maxPlainLength = 256;

/** True for attributes that are never stored. */
export const isNeverStored = (name: string): boolean => personal.test(name) || secret.test(name);
