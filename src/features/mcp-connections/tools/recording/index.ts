export {
  computeRevision,
  countTools,
  type Drift,
  type ListedConnection,
  type RecordingPlatform,
  type RecordOptions,
  recordListing,
  recordNormalized,
} from "./service.ts";
export { type KnownTool, listKnown } from "./store.ts";
