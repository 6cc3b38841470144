import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [on(contract.discover, (ctx, { body, query }) => service.discover(ctx, body, query))];
