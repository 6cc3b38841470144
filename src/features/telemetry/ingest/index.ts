export { eventBatcher } from "./batcher.ts";
export {
  admitNames,
  type Placed,
  type Problem,
  placeRecords,
  recallNames,
  storeRecords,
} from "./service.ts";
