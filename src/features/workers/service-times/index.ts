export { adaptInterval, serviceClock } from "./service.ts";
