export { applyEvent, disconnectReasons, findTargets } from "./service.ts";
export { type EventTarget, lockTarget } from "./store.ts";
