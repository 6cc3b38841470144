export { canonicalize, DefinitionError, isObject, maxDepth } from "./canonical.ts";
export {
  type HashedTool,
  hashArguments,
  listingLimits,
  type NormalizedListing,
  normalizeListing,
  type ToolListing,
} from "./listing.ts";
