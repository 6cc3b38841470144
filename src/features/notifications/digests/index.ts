export { addToDigests, mailDueDigests } from "./service.ts";
export {
  hasDue as hasDueDigests,
  removeIdleAcrossOrganizations as removeIdleDigestsAcrossOrganizations,
} from "./store.ts";
