import { GitError } from "./errors.ts";
import { type GitLimits, mebibytes } from "./limits.ts";

/** The work that one reading of a repository may cost, shared by every pack that it fetches. */
export interface Budget {
  /** Throws when the work is used up. */
  charge(bytes: number): void;
}

/** Starting an inflation or a delta takes about as long as inflating this many bytes. */
export const stepBytes = 2_048;

/** Opening the largest pack that is allowed takes half of this; the other half is for reading its objects. */
const workFactor = 4;

export function createBudget({ inflatedBytes }: Pick<GitLimits, "inflatedBytes">): Budget {
  const total = inflatedBytes * workFactor;
  let used = 0;
  return {
    charge(bytes) {
      used += bytes;
      if (used > total)
        throw new GitError(
          "too_large",
          `Unpacking its objects takes more than the work of ${mebibytes(total)}. Choose a smaller folder, or repack the repository (git gc).`,
        );
    },
  };
}
