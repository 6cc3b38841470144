import { stopOrganization } from "./runs/index.ts";

export { routes } from "./routes.ts";

export const jobs = [stopOrganization];
