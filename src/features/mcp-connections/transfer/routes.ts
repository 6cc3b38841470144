import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";

const notBuilt = () => {
  throw new Error("not built yet");
};

export const routes = [
  on(contract.preview, notBuilt),
  on(contract.importServers, notBuilt),
  on(contract.exportConfiguration, notBuilt),
];
