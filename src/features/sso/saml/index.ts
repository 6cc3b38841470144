export { samlFields } from "./fields.ts";
export { jobs } from "./jobs.ts";
export { routes } from "./routes.ts";
export { acceptResponse, buildSamlRequest } from "./sign-in.ts";
