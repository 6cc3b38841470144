export { routes } from "./routes.ts";
export { mailVerification, proveMailbox } from "./service.ts";
