export { GitError, type GitErrorKind } from "./errors.ts";
export type { GitLimits } from "./limits.ts";
export type { TreeEntry } from "./objects.ts";
export { openRepository, type Repository, type RepositoryOptions, type Snapshot } from "./repository.ts";
