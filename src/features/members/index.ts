export { routes } from "./routes.ts";
export { addMember } from "./service.ts";
