import { on } from "../../../platform/http/index.ts";
import { listInstanceEntries } from "../../audit/index.ts";
import * as contract from "./contract.ts";

export const routes = [on(contract.list, (ctx, { query }) => listInstanceEntries(ctx, query))];
