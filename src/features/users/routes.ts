import { on } from "../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.readMe, (ctx) => service.readMe(ctx)),
  on(contract.changeMe, (ctx, { body }) => service.changeMe(ctx, body)),
  on(contract.switchOrganization, (ctx, { body }) => service.switchOrganization(ctx, body)),
];
