export { knownNames, limitNames } from "./service.ts";
export { removeOld as removeOldNames } from "./store.ts";
