export { defaultLabel, label } from "./contract.ts";
export { connect, endLive } from "./service.ts";
export {
  countLive,
  countUsable,
  findOfToken,
  needReconnect,
  removeEndedOfAll as removeEndedConnectionsOfAll,
} from "./store.ts";
