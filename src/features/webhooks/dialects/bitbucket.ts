import {
  changeOf,
  ignored,
  type Json,
  objects,
  pushOf,
  type Reading,
  repositoryName,
  text,
} from "./reading.ts";

/** Of Bitbucket Cloud, and (`refs_changed`, `modified`) of Bitbucket Data Center. */
export const bitbucketEvents = new Set([
  "repo:push",
  "repo:updated",
  "repo:transfer",
  "repo:deleted",
  "repo:refs_changed",
  "repo:modified",
]);

export function readBitbucket(event: string, payload: Json): Reading {
  switch (event) {
    case "repo:push": {
      const changes = objects(payload, ["push", "changes"])?.map(cloudChange);
      return pushOf(repositoryName(payload, ["repository", "full_name"]), changes, null);
    }
    case "repo:refs_changed": {
      const changes = objects(payload, ["changes"])?.map((one) =>
        changeOf(text(one, ["ref", "id"]) ?? text(one, ["refId"]), text(one, ["toHash"]), ["changes"]),
      );
      return pushOf(serverName(payload, ["repository"]), changes, null);
    }
    case "repo:updated":
      return moved(
        "renamed",
        repositoryName(payload, ["changes", "full_name", "old"]),
        repositoryName(payload, ["changes", "full_name", "new"]),
      );
    case "repo:modified":
      return moved("renamed", serverName(payload, ["old"]), serverName(payload, ["new"]));
    case "repo:transfer": {
      const now = repositoryName(payload, ["repository", "full_name"]);
      const owner = text(payload, ["previous_workspace", "slug"]);
      return moved("transferred", now && owner && `${owner}/${now.slice(now.lastIndexOf("/") + 1)}`, now);
    }
    default: {
      const repository = repositoryName(payload, ["repository", "full_name"]);
      if (!repository) return ignored();
      return { is: "repository", change: "deleted", repository, to: null, installationId: null };
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
  return changeOf(ref || undefined, after, ["push", "changes"]);
}

/** Data Center names a repository by its project's key and its slug. */
function serverName(payload: Json, path: readonly string[]): string | undefined {
  const key = text(payload, [...path, "project", "key"]);
  const slug = text(payload, [...path, "slug"]);
  return key && slug && repositoryName({ name: `${key}/${slug}` }, ["name"]);
}

function moved(
  change: "renamed" | "transferred",
  before: string | undefined,
  now: string | undefined,
): Reading {
  if (!before || !now || before === now) return ignored();
  return { is: "repository", change, repository: before, to: now, installationId: null };
}
