export { knownNames, type LimitName } from "./service.ts";
export { removeOld as removeOldNames, removeSome as removeSomeNames } from "./store.ts";
