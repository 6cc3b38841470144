import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.read, (ctx) => service.readSettings(ctx)),
  on(contract.change, (ctx, { body }) => service.changeSettings(ctx, body)),
];
