export { addAll, sumDays } from "./jobs.ts";
export { removeOld as removeOldDays } from "./store.ts";
