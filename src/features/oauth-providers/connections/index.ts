export { announceNeed, expireConnections, needReconnect } from "./attention.ts";
export * as contract from "./contract.ts";
export { Connection, defaultLabel, label } from "./contract.ts";
export { isClientRejected } from "./health.ts";
export * as service from "./service.ts";
export { connect, endConnectionsOfMember, endLive, read } from "./service.ts";
export {
  countLive,
  countUsable,
  findOfToken,
  removeEndedOfAll as removeEndedConnectionsOfAll,
} from "./store.ts";
