export { comparedListings, digestListing, toHashes } from "./compared.ts";
export {
  computeRevision,
  countTools,
  type RecordingPlatform,
  recordListing,
  recordNormalized,
} from "./service.ts";
export { type KnownTool, listKnown } from "./store.ts";
