/** The address that the server makes from a name. It adds a suffix when another organization has it. */
export function createSlug(name: string): string {
  const words =
    name
      .normalize("NFKD")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join("-").slice(0, 48).replace(/-+$/, "") || "organization";
}
