import type { CodeHostEvent, IgnoredEvent } from "./event.ts";
import {
  buildPush,
  ignored,
  type Json,
  readChange,
  readIdentifier,
  readObjects,
  readRepositoryName,
  readText,
} from "./fields.ts";

export const githubEvents = new Set(["push", "installation", "installation_repositories", "repository"]);

/** Reads payloads of GitHub. Payloads of Gitea and Forgejo have the same form. */
export function readGithub(event: string, payload: Json): CodeHostEvent | IgnoredEvent {
  const installationId = readIdentifier(payload, ["installation", "id"]) ?? null;
  if (event === "push") {
    const change = readChange(readText(payload, ["ref"]), readText(payload, ["after"]), ["after"]);
    return buildPush(readRepositoryName(payload, ["repository", "full_name"]), [change], installationId);
  }
  const action = readText(payload, ["action"], 100);
  if (event === "installation") {
    const change = installationChanges[action ?? ""];
    if (!change) return ignored();
    return installationId === null
      ? ignored("missing installation id")
      : { type: "installation", change, installationId };
  }
  if (event === "installation_repositories") {
    if (action !== "added" && action !== "removed") return ignored();
    const repositories = (readObjects(payload, [`repositories_${action}`]) ?? []).map((item) =>
      readRepositoryName(item, ["full_name"]),
    );
    if (installationId === null) return ignored("missing installation id");
    return {
      type: "installation repositories",
      change: action,
      installationId,
      repositories: repositories.filter((name) => name !== undefined),
    };
  }
  return readRepository(action, payload, installationId);
}

const installationChanges: Record<string, "deleted" | "suspended" | "unsuspended"> = {
  __proto__: null as never,
  deleted: "deleted",
  suspend: "suspended",
  suspended: "suspended",
  unsuspend: "unsuspended",
  unsuspended: "unsuspended",
};

function readRepository(
  action: string | undefined,
  payload: Json,
  installationId: string | null,
): CodeHostEvent | IgnoredEvent {
  if (action !== "renamed" && action !== "deleted" && action !== "transferred") return ignored();
  const now = readRepositoryName(payload, ["repository", "full_name"]);
  if (!now) return ignored();
  if (action === "deleted")
    return { type: "repository", change: action, repository: now, to: null, installationId };
  const [owner, name] = [now.slice(0, now.lastIndexOf("/")), now.slice(now.lastIndexOf("/") + 1)];
  const before =
    action === "renamed"
      ? { owner, name: readText(payload, ["changes", "repository", "name", "from"]) }
      : {
          owner:
            readText(payload, ["changes", "owner", "from", "organization", "login"]) ??
            readText(payload, ["changes", "owner", "from", "user", "login"]),
          name,
        };
  if (!before.owner || !before.name) return ignored();
  return {
    type: "repository",
    change: action,
    repository: `${before.owner}/${before.name}`,
    to: now,
    installationId,
  };
}
