export { announceAttention, expireConnections, markForReconnect } from "./attention.ts";
export * as contract from "./contract.ts";
export { Connection, defaultLabel, label } from "./contract.ts";
export { isClientRejected } from "./health.ts";
export * as service from "./service.ts";
export { connect, endConnectionsOfMember, endLiveConnections, read } from "./service.ts";
export {
  countLive,
  countUsable,
  findByTokenId,
  removeEndedAcrossOrganizations as removeEndedConnectionsAcrossOrganizations,
} from "./store.ts";
