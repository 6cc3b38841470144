import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import { listAttention } from "./service.ts";

export const routes = [on(contract.list, (ctx) => listAttention(ctx))];
