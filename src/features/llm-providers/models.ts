/** Whether a list of allowed models contains the name. An entry that ends with `*` allows all names that begin so. */
export const isAllowedModel = (allowed: readonly string[] | null, name: string): boolean =>
  allowed === null ||
  allowed.some((entry) => (entry.endsWith("*") ? name.startsWith(entry.slice(0, -1)) : entry === name));
