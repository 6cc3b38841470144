import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import { readCounts } from "./service.ts";

export const routes = [on(contract.read, (ctx) => readCounts(ctx))];
