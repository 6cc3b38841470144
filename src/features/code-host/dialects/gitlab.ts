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

/** `System Hook` and `Project Hook` name the event in the body. */
export const gitlabEvents = new Set(["Push Hook", "Tag Push Hook", "System Hook", "Project Hook"]);

const projectChanges: Record<string, "renamed" | "transferred" | "deleted"> = {
  __proto__: null as never,
  project_rename: "renamed",
  project_transfer: "transferred",
  project_destroy: "deleted",
};

export function readGitlab(event: string, payload: Json): CodeHostEvent | IgnoredEvent {
  const kind = event.endsWith("Push Hook") ? "push" : (readText(payload, ["event_name"], 100) ?? "");
  if (kind === "push" || kind === "tag_push") {
    const change = readChange(readText(payload, ["ref"]), readText(payload, ["after"]), ["after"]);
    return buildPush(readRepositoryName(payload, ["project", "path_with_namespace"]), [change], null);
  }
  if (kind === "repository_update") {
    const changes = readObjects(payload, ["changes"])?.map((one) =>
      readChange(readText(one, ["ref"]), readText(one, ["after"]), ["changes"]),
    );
    return buildPush(readRepositoryName(payload, ["project", "path_with_namespace"]), changes, null);
  }
  const change = projectChanges[kind];
  const now = change && readRepositoryName(payload, ["path_with_namespace"]);
  if (!change || !now) return ignored();
  if (change === "deleted")
    return { type: "repository", change, repository: now, to: null, installationId: null };
  const before = readRepositoryName(payload, ["old_path_with_namespace"]);
  // Only the display name changed.
  if (!before || before === now) return ignored();
  return { type: "repository", change, repository: before, to: now, installationId: null };
}
