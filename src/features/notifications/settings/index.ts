export { routes } from "./routes.ts";
export { checkMaySee, listAdminIds, listRecipients, maySee } from "./service.ts";
