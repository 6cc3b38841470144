import { promises } from "node:dns";

/**
 * Returns the texts of the TXT records of a full name, or none when there are none. Throws a `TextRecordsError` when the name
 * servers give no usable answer.
 */
export type ResolveTexts = (name: string) => Promise<string[]>;

export class TextRecordsError extends Error {
  override readonly name = "TextRecordsError";
}

const absent = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

/** Answers are not cached: people who have just added a record want to see it. */
export function createTextResolver(servers?: readonly string[]): ResolveTexts {
  return async (name) => {
    const resolver = new promises.Resolver({ timeout: 2_000, tries: 2 });
    if (servers) resolver.setServers(servers);
    try {
      // A record of several strings is their concatenation.
      return (await resolver.resolveTxt(name)).map((strings) => strings.join(""));
    } catch (error) {
      if (absent.has((error as { code?: string }).code ?? "")) return [];
      throw new TextRecordsError(`The name servers gave no usable answer for ${name}.`);
    }
  };
}
