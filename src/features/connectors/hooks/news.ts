/** What a code host told us, whichever it is and however it says it. */
export type News = Push | ((InstallationChange | InstallationRepositories | RepositoryChange) & Whereabouts);

interface Whereabouts {
  /** The name of the host it happened on, where the code host says so: another has the same names and numbers. */
  server?: string;
}

export interface Push {
  is: "push";
  repository: string;
  /** Refs that moved. `head` null: to no commit that is known from here, or to none at all. */
  changes: { ref: string; head: string | null }[];
  installationId: string | null;
}

interface InstallationChange {
  is: "installation";
  change: "deleted" | "suspended" | "unsuspended";
  installationId: string;
}

interface InstallationRepositories {
  is: "installation repositories";
  change: "added" | "removed";
  installationId: string;
  repositories: string[];
}

interface RepositoryChange {
  is: "repository";
  change: "renamed" | "transferred" | "deleted";
  /** As it was called until now. */
  repository: string;
  /** As it is called from now on. */
  to: string | null;
  installationId: string | null;
}

/** Whose connectors the news can be about. */
export interface Audience {
  /** Connectors of these code hosts. */
  codehosts: readonly string[];
  /** Only this one: the URL named it, and its own secret verified what came. */
  connectorId: string | null;
  /** Only this organization's. */
  orgId: string | null;
}
