export { sumUp } from "./jobs.ts";
export { type RunCount, readFigures } from "./read.ts";
export { adjustCosts, subtractRuns, sumFigures } from "./service.ts";
export { removeSome as removeSomeFigures } from "./store.ts";
