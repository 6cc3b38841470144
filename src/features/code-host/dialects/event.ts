/** What a code host reported, in the same form for all code hosts. */
export type CodeHostEvent =
  | Push
  | ((InstallationChange | InstallationRepositories | RepositoryChange) & { server?: Hostname });

/** The host on which the event happened, if the payload says so. Other hosts have the same names and numbers. */
type Hostname = string;

export interface Push {
  type: "push";
  repository: string;
  /** Refs that moved. `head` is null when the commit is unknown or the ref was deleted. */
  changes: { ref: string; head: string | null }[];
  installationId: string | null;
}

interface InstallationChange {
  type: "installation";
  change: "deleted" | "suspended" | "unsuspended";
  installationId: string;
}

interface InstallationRepositories {
  type: "installation repositories";
  change: "added" | "removed";
  installationId: string;
  repositories: string[];
}

interface RepositoryChange {
  type: "repository";
  change: "renamed" | "transferred" | "deleted";
  /** The name before the event. */
  repository: string;
  /** The name after the event. */
  to: string | null;
  installationId: string | null;
}

/** An event that has no effect, and why. */
export interface IgnoredEvent {
  type: "ignored";
  reason: "event ignored" | "missing push metadata" | "missing installation id";
}
