export type { Me } from "./contract.ts";
export { routes } from "./routes.ts";
