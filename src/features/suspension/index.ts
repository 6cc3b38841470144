export { refuseSuspended } from "./service.ts";
export { isNotSuspended, isSuspended } from "./store.ts";
