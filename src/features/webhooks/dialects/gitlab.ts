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

/** `System Hook` and `Project Hook` tell of many things; which one stands in the body. */
export const gitlabEvents = new Set(["Push Hook", "Tag Push Hook", "System Hook", "Project Hook"]);

const projectChanges: Record<string, "renamed" | "transferred" | "deleted"> = {
  __proto__: null as never,
  project_rename: "renamed",
  project_transfer: "transferred",
  project_destroy: "deleted",
};

export function readGitlab(event: string, payload: Json): Reading {
  const kind = event.endsWith("Push Hook") ? "push" : (text(payload, ["event_name"], 100) ?? "");
  if (kind === "push" || kind === "tag_push") {
    const change = changeOf(text(payload, ["ref"]), text(payload, ["after"]), ["after"]);
    return pushOf(repositoryName(payload, ["project", "path_with_namespace"]), [change], null);
  }
  if (kind === "repository_update") {
    const changes = objects(payload, ["changes"])?.map((one) =>
      changeOf(text(one, ["ref"]), text(one, ["after"]), ["changes"]),
    );
    return pushOf(repositoryName(payload, ["project", "path_with_namespace"]), changes, null);
  }
  const change = projectChanges[kind];
  const now = change && repositoryName(payload, ["path_with_namespace"]);
  if (!change || !now) return ignored();
  if (change === "deleted")
    return { is: "repository", change, repository: now, to: null, installationId: null };
  const before = repositoryName(payload, ["old_path_with_namespace"]);
  // The display name changed, and the path did not.
  if (!before || before === now) return ignored();
  return { is: "repository", change, repository: before, to: now, installationId: null };
}
