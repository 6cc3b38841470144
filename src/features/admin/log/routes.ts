import { on } from "../../../platform/http/index.ts";
import { listInstanceEntries, readInstanceEntry } from "../../audit/index.ts";
import * as contract from "./contract.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => listInstanceEntries(ctx, query)),
  on(contract.read, (ctx, { params }) => readInstanceEntry(ctx, params.id)),
];
