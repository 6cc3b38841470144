export { Configuration, Desired } from "./contract.ts";
export { toDesired } from "./service.ts";
export { type DesiredRow, desiredColumns } from "./store.ts";
