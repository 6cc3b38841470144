import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import { listRecent } from "./service.ts";

export const routes = [on(contract.list, (ctx, { query }) => listRecent(ctx, query))];
