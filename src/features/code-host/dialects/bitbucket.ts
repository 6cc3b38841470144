import type { CodeHostEvent, IgnoredEvent } from "./event.ts";
import {
  buildPush,
  ignored,
  type Json,
  readChange,
  readObjects,
  readRepositoryName,
  readText,
} from "./fields.ts";

/** The last two are events of Bitbucket Data Center, the others of Bitbucket Cloud. */
export const bitbucketEvents = new Set([
  "repo:push",
  "repo:updated",
  "repo:transfer",
  "repo:deleted",
  "repo:refs_changed",
  "repo:modified",
]);

export function readBitbucket(event: string, payload: Json): CodeHostEvent | IgnoredEvent {
  switch (event) {
    case "repo:push": {
      const changes = readObjects(payload, ["push", "changes"])?.map(cloudChange);
      return buildPush(readRepositoryName(payload, ["repository", "full_name"]), changes, null);
    }
    case "repo:refs_changed": {
      const changes = readObjects(payload, ["changes"])?.map((one) =>
        readChange(readText(one, ["ref", "id"]) ?? readText(one, ["refId"]), readText(one, ["toHash"]), [
          "changes",
        ]),
      );
      return buildPush(serverName(payload, ["repository"]), changes, null);
    }
    case "repo:updated":
      return buildMove(
        "renamed",
        readRepositoryName(payload, ["changes", "full_name", "old"]),
        readRepositoryName(payload, ["changes", "full_name", "new"]),
      );
    case "repo:modified":
      return buildMove("renamed", serverName(payload, ["old"]), serverName(payload, ["new"]));
    case "repo:transfer": {
      const now = readRepositoryName(payload, ["repository", "full_name"]);
      const owner = readText(payload, ["previous_workspace", "slug"]);
      return buildMove("transferred", now && owner && `${owner}/${now.slice(now.lastIndexOf("/") + 1)}`, now);
    }
    default: {
      const repository = readRepositoryName(payload, ["repository", "full_name"]);
      if (!repository) return ignored();
      return { type: "repository", change: "deleted", repository, to: null, installationId: null };
    }
  }
}

function cloudChange(change: Json) {
  const deleted = readText(change, ["new", "name"]) === undefined;
  const side = deleted ? "old" : "new";
  const name = readText(change, [side, "name"]);
  const kind = readText(change, [side, "type"], 100);
  const ref = name && `refs/${kind === "tag" || kind === "annotated_tag" ? "tags" : "heads"}/${name}`;
  const after = deleted ? "0".repeat(40) : readText(change, ["new", "target", "hash"]);
  return readChange(ref || undefined, after, ["push", "changes"]);
}

/** Data Center names a repository by its project's key and its slug. */
function serverName(payload: Json, path: readonly string[]): string | undefined {
  const key = readText(payload, [...path, "project", "key"]);
  const slug = readText(payload, [...path, "slug"]);
  return key && slug && readRepositoryName({ name: `${key}/${slug}` }, ["name"]);
}

function buildMove(
  change: "renamed" | "transferred",
  before: string | undefined,
  now: string | undefined,
): CodeHostEvent | IgnoredEvent {
  if (!before || !now || before === now) return ignored();
  return { type: "repository", change, repository: before, to: now, installationId: null };
}
