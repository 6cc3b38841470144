import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.issue, (ctx, { params, query }) => service.issueCredential(ctx, params.id, query.model)),
];
