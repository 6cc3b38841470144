import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.read, (ctx) => service.read(ctx)),
  on(contract.replace, (ctx, { body }) => service.replace(ctx, body)),
  on(contract.readMine, (ctx) => service.readMine(ctx)),
  on(contract.replaceMine, (ctx, { body }) => service.replaceMine(ctx, body)),
];
