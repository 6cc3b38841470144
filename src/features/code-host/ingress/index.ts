export { pushRecorder } from "./recorder.ts";
export { routes } from "./routes.ts";
export { addTargetsAcrossOrganizations, type DeliveryId, setVerdictAcrossOrganizations } from "./store.ts";
