import { invalidField } from "../../../platform/errors.ts";
import type { IgnoredEvent, Push } from "./event.ts";

export const ignored = (reason: IgnoredEvent["reason"] = "event ignored"): IgnoredEvent => ({
  type: "ignored",
  reason,
});

export type Json = Record<string, unknown>;
type Path = readonly string[];

/** Returns the value at the path, or undefined. A step that is not an object is a 400. */
function readValue(payload: Json, path: Path): unknown {
  let value: unknown = payload;
  for (const [i, name] of path.entries()) {
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "object" || Array.isArray(value))
      throw invalidField(path.slice(0, i), "Must be an object.");
    value = Object.hasOwn(value, name) ? (value as Json)[name] : undefined;
  }
  return value ?? undefined;
}

/** Returns text that can be stored and compared, or undefined. Any other value is a 400. */
export function readText(payload: Json, path: Path, max = 500): string | undefined {
  const value = readValue(payload, path);
  if (value === undefined || value === "") return undefined;
  if (typeof value !== "string") throw invalidField([...path], "Must be text.");
  if (value.length > max) throw invalidField([...path], `Must have at most ${max} characters.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this refuses control characters
  if (/[\x00-\x1f\x7f]/.test(value) || !value.isWellFormed())
    throw invalidField([...path], "Must be text without control characters.");
  return value;
}

/** Returns an id. Code hosts send it as a number, some relays as text. */
export function readIdentifier(payload: Json, path: Path): string | undefined {
  const value = readValue(payload, path);
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value) || value < 0) throw invalidField([...path], "Must be a whole number.");
    return String(value);
  }
  return readText(payload, path, 100);
}

export function readObjects(payload: Json, path: Path, max = 10_000): Json[] | undefined {
  const value = readValue(payload, path);
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw invalidField([...path], "Must be a list.");
  if (value.length > max) throw invalidField([...path], `Must have at most ${max} items.`);
  for (const item of value)
    if (item === null || typeof item !== "object" || Array.isArray(item))
      throw invalidField([...path], "Must be a list of objects.");
  return value as Json[];
}

/** Returns `owner/name`, or a longer path of groups. */
export function readRepositoryName(payload: Json, path: Path): string | undefined {
  const name = readText(payload, path);
  if (name !== undefined && !/^[^/\s]+(?:\/[^/\s]+)+$/.test(name))
    throw invalidField([...path], "Must be a repository's name, as in owner/name.");
  return name;
}

/** Returns the host of the page that the payload links to. */
export function readServer(payload: Json): string | undefined {
  const page =
    readText(payload, ["repository", "html_url"], 2_000) ??
    readText(payload, ["installation", "html_url"], 2_000) ??
    readText(payload, ["repository", "links", "html", "href"], 2_000);
  return page === undefined ? undefined : URL.parse(page)?.hostname;
}

const noCommit = /^0+$/;
const isCommit = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

/** Returns the ref and its new head, which is null when the ref was deleted. Undefined when something is missing. */
export function readChange(
  ref: string | undefined,
  after: string | undefined,
  afterPath: Path,
): Push["changes"][number] | undefined {
  if (ref === undefined || after === undefined) return undefined;
  if (!isCommit.test(after)) throw invalidField([...afterPath], "Must be a commit.");
  // The id of an annotated tag is not the id of its commit, so the sync resolves tags.
  const head = noCommit.test(after) || ref.startsWith("refs/tags/") ? null : after.toLowerCase();
  return { ref, head };
}

/** Returns a push if the payload has all its fields. */
export function buildPush(
  repository: string | undefined,
  changes: readonly (Push["changes"][number] | undefined)[] | undefined,
  installationId: string | null,
): Push | IgnoredEvent {
  const known = changes?.filter((change) => change !== undefined);
  if (!repository || !known?.length || known.length !== changes!.length)
    return ignored("missing push metadata");
  return { type: "push", repository, changes: known, installationId };
}
