import { hash } from "node:crypto";
import { serialize } from "node:v8";
import { defineState } from "../../../../platform/state.ts";
import type { NormalizedListing, ToolListing } from "../definitions/index.ts";

/** A listing that said the same as the stored tools. */
export interface ComparedListing {
  /** Of the listing as the server sent it. */
  digest: string;
  /** The fingerprint of the stored tools, from before they were compared. */
  fingerprint: string | null;
  /** The hash of each tool, by its name. */
  hashes: ReadonlyMap<string, string>;
}

export interface ComparedListings {
  /** The last comparison of this connection, if it was about the same listing. */
  find(connectionId: string, digest: string): ComparedListing | undefined;
  keep(connectionId: string, compared: ComparedListing): void;
}

/** About 20 MB of names and hashes. */
const maxHashes = 100_000;

/**
 * The listings that this process has compared with the stored tools. Under a policy that holds tools every call brings a
 * listing, mostly the same one, and comparing a large one takes longer than the call.
 */
export const comparedListings = defineState({
  name: "compared listings of MCP connections",
  create: () => createComparedListings(maxHashes),
});

export function createComparedListings(limit: number): ComparedListings {
  const kept = new Map<string, ComparedListing>();
  let count = 0;
  const remove = (id: string) => {
    count -= kept.get(id)?.hashes.size ?? 0;
    kept.delete(id);
  };
  return {
    find(id, digest) {
      const found = kept.get(id);
      return found?.digest === digest ? found : undefined;
    },
    keep(id, compared) {
      remove(id);
      kept.set(id, compared);
      count += compared.hashes.size;
      // The oldest comparison is first.
      for (const other of kept.keys()) {
        if (count <= limit) break;
        remove(other);
      }
    },
  };
}

/** Different for listings that differ in anything. JSON would not tell a number that is too large from null. */
export const digestListing = ({ tools, instructions }: ToolListing): string =>
  hash("sha256", serialize([instructions ?? null, tools]), "base64url");

export const toHashes = ({ tools }: NormalizedListing): ReadonlyMap<string, string> =>
  new Map([...tools].map(([name, { hash }]) => [name, hash]));
