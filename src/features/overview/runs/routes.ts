import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import { readRuns } from "./service.ts";

export const routes = [on(contract.read, (ctx, { query }) => readRuns(ctx, query))];
