export { knownNames, limitNames, maxNames, otherName } from "./service.ts";
export { removeOld as removeOldNames } from "./store.ts";
