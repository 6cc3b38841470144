export { routes } from "./routes.ts";
export { confirmMailbox, sendVerificationMail } from "./service.ts";
