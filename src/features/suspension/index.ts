export { refuseSuspended } from "./service.ts";
export { isNotSuspended, isSuspended, wasUsable } from "./store.ts";
