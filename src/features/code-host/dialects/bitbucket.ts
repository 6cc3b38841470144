import type { CodeHostEvent, IgnoredEvent } from "./event.ts";
import { buildPush, ignored, type Json, objects, readChange, repositoryName, text } from "./fields.ts";

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
      const changes = objects(payload, ["push", "changes"])?.map(cloudChange);
      return buildPush(repositoryName(payload, ["repository", "full_name"]), changes, null);
    }
    case "repo:refs_changed": {
      const changes = objects(payload, ["changes"])?.map((one) =>
        readChange(text(one, ["ref", "id"]) ?? text(one, ["refId"]), text(one, ["toHash"]), ["changes"]),
      );
      return buildPush(serverName(payload, ["repository"]), changes, null);
    }
    case "repo:updated":
      return buildMove(
        "renamed",
        repositoryName(payload, ["changes", "full_name", "old"]),
        repositoryName(payload, ["changes", "full_name", "new"]),
      );
    case "repo:modified":
      return buildMove("renamed", serverName(payload, ["old"]), serverName(payload, ["new"]));
    case "repo:transfer": {
      const now = repositoryName(payload, ["repository", "full_name"]);
      const owner = text(payload, ["previous_workspace", "slug"]);
      return buildMove("transferred", now && owner && `${owner}/${now.slice(now.lastIndexOf("/") + 1)}`, now);
    }
    default: {
      const repository = repositoryName(payload, ["repository", "full_name"]);
      if (!repository) return ignored();
      return { type: "repository", change: "deleted", repository, to: null, installationId: null };
    }
  }
}

function cloudChange(change: Json) {
  const deleted = text(change, ["new", "name"]) === undefined;
  const side = deleted ? "old" : "new";
  const name = text(change, [side, "name"]);
  const kind = text(change, [side, "type"], 100);
  const ref = name && `refs/${kind === "tag" || kind === "annotated_tag" ? "tags" : "heads"}/${name}`;
  const after = deleted ? "0".repeat(40) : text(change, ["new", "target", "hash"]);
  return readChange(ref || undefined, after, ["push", "changes"]);
}

/** Data Center names a repository by its project's key and its slug. */
function serverName(payload: Json, path: readonly string[]): string | undefined {
  const key = text(payload, [...path, "project", "key"]);
  const slug = text(payload, [...path, "slug"]);
  return key && slug && repositoryName({ name: `${key}/${slug}` }, ["name"]);
}

function buildMove(
  change: "renamed" | "transferred",
  before: string | undefined,
  now: string | undefined,
): CodeHostEvent | IgnoredEvent {
  if (!before || !now || before === now) return ignored();
  return { type: "repository", change, repository: before, to: now, installationId: null };
}
