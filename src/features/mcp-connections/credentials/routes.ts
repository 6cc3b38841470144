import { on } from "../../../platform/http/index.ts";
import { notBuilt } from "../pending.ts";
import * as contract from "./contract.ts";

export const routes = [
  on(contract.callback, notBuilt),
  on(contract.start, notBuilt),
  on(contract.claim, notBuilt),
  on(contract.disconnect, notBuilt),
  on(contract.setCredential, notBuilt),
  on(contract.listMembers, notBuilt),
];
