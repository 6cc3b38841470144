import { createHash } from "node:crypto";

export const maxNameLength = 64;
const hashLength = 12;

const isPlain = /^[A-Za-z0-9_-]+$/;
/** How a shortened name ends. A tool whose own name ends like this is shortened too, so the two never meet. */
const endsWithHash = /_[0-9a-f]{12}$/;

/**
 * The name of a tool at `/mcp`: `<slug>__<tool>`, or, when that is too long or has other characters, its beginning and
 * a hash of the whole. It depends on nothing else, so it stays the same as long as the tool has its name.
 */
export function createExposedName(slug: string, tool: string): string {
  const name = `${slug}__${tool}`;
  // Such a slug could end where the name of a tool begins.
  const isClear = slug !== "" && tool !== "" && !slug.includes("__") && !slug.endsWith("_");
  if (isClear && name.length <= maxNameLength && isPlain.test(name) && !endsWithHash.test(name)) return name;
  const hash = createHash("sha256")
    .update(JSON.stringify(["signalbox tool name", slug, tool]))
    .digest("hex")
    .slice(0, hashLength);
  const start = name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, maxNameLength - hashLength - 1);
  return `${start}_${hash}`;
}
