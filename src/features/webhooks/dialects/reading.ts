import { invalidField } from "../../../platform/errors.ts";
import type { News, Push } from "../../connectors/index.ts";

/** What a delivery says, or why nothing follows from it. */
export type Reading = News | Ignored;

export interface Ignored {
  is: "ignored";
  reason: "event ignored" | "missing push metadata" | "missing installation id";
}

export const ignored = (reason: Ignored["reason"] = "event ignored"): Ignored => ({ is: "ignored", reason });

export type Json = Record<string, unknown>;
type Path = readonly string[];

/** What stands there; undefined where nothing does. A step that is there but is no object is a 400. */
function at(payload: Json, path: Path): unknown {
  let value: unknown = payload;
  for (const [i, name] of path.entries()) {
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "object" || Array.isArray(value))
      throw invalidField(path.slice(0, i), "Must be an object.");
    value = Object.hasOwn(value, name) ? (value as Json)[name] : undefined;
  }
  return value ?? undefined;
}

/** Text that can be kept and compared; undefined where there is none, a 400 where there is something else. */
export function text(payload: Json, path: Path, max = 500): string | undefined {
  const value = at(payload, path);
  if (value === undefined || value === "") return undefined;
  if (typeof value !== "string") throw invalidField([...path], "Must be text.");
  if (value.length > max) throw invalidField([...path], `Must have at most ${max} characters.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
  if (/[\x00-\x1f\x7f]/.test(value) || !value.isWellFormed())
    throw invalidField([...path], "Must be text without control characters.");
  return value;
}

/** An id: code hosts write it as a number, some relays as text. */
export function identifier(payload: Json, path: Path): string | undefined {
  const value = at(payload, path);
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value) || value < 0) throw invalidField([...path], "Must be a whole number.");
    return String(value);
  }
  return text(payload, path, 100);
}

export function objects(payload: Json, path: Path, max = 10_000): Json[] | undefined {
  const value = at(payload, path);
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw invalidField([...path], "Must be a list.");
  if (value.length > max) throw invalidField([...path], `Must have at most ${max} items.`);
  for (const item of value)
    if (item === null || typeof item !== "object" || Array.isArray(item))
      throw invalidField([...path], "Must be a list of objects.");
  return value as Json[];
}

/** `owner/name`, or a longer path of groups. */
export function repositoryName(payload: Json, path: Path): string | undefined {
  const name = text(payload, path);
  if (name !== undefined && !/^[^/\s]+(?:\/[^/\s]+)+$/.test(name))
    throw invalidField([...path], "Must be a repository's name, as in owner/name.");
  return name;
}

/** The name of the host that a page of it is on. */
export function serverOf(payload: Json): string | undefined {
  const page =
    text(payload, ["repository", "html_url"], 2_000) ??
    text(payload, ["installation", "html_url"], 2_000) ??
    text(payload, ["repository", "links", "html", "href"], 2_000);
  return page === undefined ? undefined : URL.parse(page)?.hostname;
}

const noCommit = /^0+$/;
const isCommit = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

/** Where a ref points now: `head` null when it was deleted; undefined when something is missing. */
export function changeOf(
  ref: string | undefined,
  after: string | undefined,
  afterPath: Path,
): Push["changes"][number] | undefined {
  if (ref === undefined || after === undefined) return undefined;
  if (!isCommit.test(after)) throw invalidField([...afterPath], "Must be a commit.");
  // The id of an annotated tag is not that of its commit, so a tag is looked up when the work is done.
  const head = noCommit.test(after) || ref.startsWith("refs/tags/") ? null : after.toLowerCase();
  return { ref, head };
}

/** A push if everything that makes one is there. */
export function pushOf(
  repository: string | undefined,
  changes: readonly (Push["changes"][number] | undefined)[] | undefined,
  installationId: string | null,
): Push | Ignored {
  const known = changes?.filter((change) => change !== undefined);
  if (!repository || !known?.length || known.length !== changes!.length)
    return ignored("missing push metadata");
  return { is: "push", repository, changes: known, installationId };
}
