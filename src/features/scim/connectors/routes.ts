import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.read, (ctx) => service.read(ctx)),
  on(contract.createToken, (ctx, { body }) => service.createToken(ctx, body)),
  on(contract.change, (ctx, { body }) => service.change(ctx, body)),
  on(contract.remove, (ctx) => service.remove(ctx)),
];
