export {
  advance as advanceRecomputation,
  lockNextAcrossOrganizations as lockNextRecomputationAcrossOrganizations,
  type RecomputationScope,
  remove as removeRecomputation,
  request as requestRecomputation,
} from "./store.ts";
