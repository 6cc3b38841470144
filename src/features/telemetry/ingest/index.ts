export { eventBatcher } from "./batcher.ts";
export { type Placed, type Problem, placeRecords, storeRecords } from "./service.ts";
