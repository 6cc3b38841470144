/** Sums by one or several keys. */
export type Tree = { [key: string]: number | Tree };

/** Adds the numbers of a tree to another. Sums that become 0 are removed, so that trees of removed rows are empty. */
export function addTree(sums: Tree, added: Tree): void {
  for (const [key, value] of Object.entries(added)) {
    if (typeof value === "number") {
      const sum = ((sums[key] as number | undefined) ?? 0) + value;
      if (sum === 0) delete sums[key];
      else sums[key] = sum;
      continue;
    }
    const branch = (sums[key] ?? {}) as Tree;
    addTree(branch, value);
    if (isEmpty(branch)) delete sums[key];
    else sums[key] = branch;
  }
}

export const isEmpty = (tree: Tree): boolean => Object.keys(tree).length === 0;
