export { forgetAccount } from "./accounts.ts";
export { comparedListings, digestListing, toHashes } from "./compared.ts";
export {
  type RecordingPlatform,
  type RecordOptions,
  recordListing,
  recordNormalized,
} from "./service.ts";
export { type KnownTool, listKnown } from "./store.ts";
export { computeRevision, countTools } from "./summary.ts";
