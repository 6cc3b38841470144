export { GitError, type GitErrorKind } from "./errors.ts";
export { openRepository, type Repository, type Snapshot } from "./repository.ts";
export { createYield } from "./turns.ts";
