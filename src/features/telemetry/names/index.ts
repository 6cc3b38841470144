export { knownNames, type LimitName } from "./service.ts";
export { removeOld as removeOldNames } from "./store.ts";
