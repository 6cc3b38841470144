import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";

const notBuilt = (): never => {
  throw new Error("not built yet");
};

export const callRoutes = [
  on(contract.list, notBuilt),
  on(contract.exportCalls, notBuilt),
  on(contract.read, notBuilt),
  on(contract.listOfConnection, notBuilt),
];
