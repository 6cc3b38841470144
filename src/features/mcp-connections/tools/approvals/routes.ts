import { on } from "../../../../platform/http/index.ts";
import * as contract from "./contract.ts";

const notBuiltYet = () => {
  throw new Error("not built yet");
};

export const routes = [
  on(contract.list, notBuiltYet),
  on(contract.read, notBuiltYet),
  on(contract.approve, notBuiltYet),
  on(contract.deny, notBuiltYet),
];
