export { eventBatcher } from "./batcher.ts";
export { admitNames, type Placed, type Problem, placeRecords, storeRecords } from "./service.ts";
