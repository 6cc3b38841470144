import { on } from "../../../platform/http/index.ts";
import { notBuilt } from "../pending.ts";
import * as contract from "./contract.ts";

export const routes = [on(contract.discoverAgain, notBuilt), on(contract.test, notBuilt)];
