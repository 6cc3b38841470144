export { jobs } from "./jobs.ts";
export { routes } from "./routes.ts";
export {
  type Change,
  record,
  recordAsSystem,
  recordBy,
  recordOfUser,
  type Verdict,
  verifyAll,
} from "./service.ts";
