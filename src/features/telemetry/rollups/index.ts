export { mergeAll, sumDays } from "./jobs.ts";
export { removeOld as removeOldSums } from "./store.ts";
