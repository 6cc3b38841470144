import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import { readChecklist } from "./service.ts";

export const routes = [on(contract.read, (ctx) => readChecklist(ctx))];
