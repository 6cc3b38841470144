export { addToDigests, mailDueDigests } from "./service.ts";
export { removeIdleAcrossOrganizations as removeIdleDigestsAcrossOrganizations } from "./store.ts";
