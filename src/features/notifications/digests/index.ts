export { collect, mailDue } from "./service.ts";
export { removeIdleOfAll as removeIdleDigestsOfAll } from "./store.ts";
