export { jobs } from "./jobs.ts";
export { routes } from "./routes.ts";
export {
  type Change,
  findOfInstance,
  record,
  recordAsSystem,
  recordBy,
  recordOfUser,
  recordPast,
  removeChainOfInstance,
} from "./service.ts";
export { resignChains, type Signing, signChains, signedChains } from "./sign.ts";
export { type Verdict, verifyAll } from "./verify.ts";
