import { GitError } from "./errors.ts";
import { type GitLimits, mebibytes } from "./limits.ts";

/** Limits the work of reading one repository. All packs of the repository share one budget. */
export interface Budget {
  /** Throws when the budget is used up. */
  charge(bytes: number): void;
}

/** Starting an inflation or a delta takes about as long as inflating this many bytes. */
export const stepBytes = 2_048;

/** Opening the largest allowed pack takes half of the budget. The other half is for reading its objects. */
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
          `Unpacking its objects takes more than the work of inflating ${mebibytes(total)}. Choose a smaller folder, or repack the repository (git gc).`,
        );
    },
  };
}
