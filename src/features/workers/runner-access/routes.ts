import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.token, (ctx, { params, body }) => service.createToken(ctx, params.id, body)),
];
