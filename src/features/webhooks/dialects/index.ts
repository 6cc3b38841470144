export {
  codehostsOf,
  type Dialect,
  deliveryIdOf,
  dialectOf,
  dialects,
  eventOf,
  headersToKeep,
} from "./dialect.ts";
export { type Read, read } from "./payload.ts";
export type { Reading } from "./reading.ts";
export { findMissingProof, proofOf, type RefusalReason, refusalReasons } from "./signature.ts";
