export { pushRecorder } from "./recorder.ts";
export { routes } from "./routes.ts";
export {
  addTargetsAcrossOrganizations,
  bodyDigest,
  type DeliveryId,
  setVerdictAcrossOrganizations,
} from "./store.ts";
