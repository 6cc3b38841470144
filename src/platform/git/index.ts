export { GitError, type GitErrorKind } from "./errors.ts";
export { openRepository, type Repository, type Snapshot } from "./repository.ts";
export { takingTurns } from "./turns.ts";
