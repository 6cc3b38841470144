/** Parts of attribute names that say that the value is what people or models wrote. */
const contentSegments = new Set([
  "prompt",
  "prompts",
  "completion",
  "completions",
  "message",
  "messages",
  "input_messages",
  "output_messages",
  "system_instructions",
  "instructions",
  "content",
  "contents",
  "text",
  "object",
  "body",
  "query",
  "input",
  "output",
  "value",
  "args",
  "arguments",
  "result",
  "results",
  "definitions",
  "toolCalls",
  "document",
  "documents",
  "tool_input",
  "tool_parameters",
  "tool_result",
  "parameters",
  "bash_command",
  "command",
  "full_command",
  "error",
  "stacktrace",
  "description",
]);

/** Last parts of names that are figures or ids, not contents. */
const figure =
  /(?:^|[._])(?:id|ids|count|length|tokens?|type|name|size|bytes|ms|role|version|cost|status|index)$/;

/** Identifies a person, a machine or an address. The member is known by the credential. */
const personal =
  /^(?:user|enduser|organization|host|process|client|url|net|db|exception)\.|^http\.(?:url|target)$/;

/** True when the value of an attribute may be something that people or models wrote. */
export function isContent(name: string, value: unknown): boolean {
  if (typeof value === "string" && value.length > maxPlainLength) return true;
  if (typeof value === "object" && value !== null) return true;
  if (typeof value !== "string") return false;
  return !figure.test(name) && name.split(".").some((segment) => contentSegments.has(segment));
}

/** Text that is longer than any name or id is taken for contents. */
export const maxPlainLength = 256;

/** True for attributes that are never stored. */
export const isPersonal = (name: string): boolean => personal.test(name);
