export { routes } from "./routes.ts";
export { addTargetsOfAll, type DeliveryId, setVerdictOfAll } from "./store.ts";
