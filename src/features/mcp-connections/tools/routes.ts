import { on } from "../../../platform/http/index.ts";
import { routes as approvals } from "./approvals/index.ts";
import * as contract from "./contract.ts";
import { routes as drift } from "./drift/index.ts";

const notBuiltYet = () => {
  throw new Error("not built yet");
};

export const routes = [
  on(contract.list, notBuiltYet),
  on(contract.setPolicy, notBuiltYet),
  ...drift,
  ...approvals,
];
