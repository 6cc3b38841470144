export { announceNeed, expireConnections, needReconnect } from "./attention.ts";
export { defaultLabel, label } from "./contract.ts";
export { isClientRejected } from "./health.ts";
export { connect, endLive } from "./service.ts";
export {
  countLive,
  countUsable,
  findOfToken,
  removeEndedOfAll as removeEndedConnectionsOfAll,
} from "./store.ts";
