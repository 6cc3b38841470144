import type { CodeHostEvent, IgnoredEvent } from "./event.ts";
import { buildPush, ignored, type Json, objects, readChange, repositoryName, text } from "./fields.ts";

/** `System Hook` and `Project Hook` name the event in the body. */
export const gitlabEvents = new Set(["Push Hook", "Tag Push Hook", "System Hook", "Project Hook"]);

const projectChanges: Record<string, "renamed" | "transferred" | "deleted"> = {
  __proto__: null as never,
  project_rename: "renamed",
  project_transfer: "transferred",
  project_destroy: "deleted",
};

export function readGitlab(event: string, payload: Json): CodeHostEvent | IgnoredEvent {
  const kind = event.endsWith("Push Hook") ? "push" : (text(payload, ["event_name"], 100) ?? "");
  if (kind === "push" || kind === "tag_push") {
    const change = readChange(text(payload, ["ref"]), text(payload, ["after"]), ["after"]);
    return buildPush(repositoryName(payload, ["project", "path_with_namespace"]), [change], null);
  }
  if (kind === "repository_update") {
    const changes = objects(payload, ["changes"])?.map((one) =>
      readChange(text(one, ["ref"]), text(one, ["after"]), ["changes"]),
    );
    return buildPush(repositoryName(payload, ["project", "path_with_namespace"]), changes, null);
  }
  const change = projectChanges[kind];
  const now = change && repositoryName(payload, ["path_with_namespace"]);
  if (!change || !now) return ignored();
  if (change === "deleted")
    return { type: "repository", change, repository: now, to: null, installationId: null };
  const before = repositoryName(payload, ["old_path_with_namespace"]);
  // Only the display name changed.
  if (!before || before === now) return ignored();
  return { type: "repository", change, repository: before, to: now, installationId: null };
}
