import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.read, async ({ db, orgId }) => ({ settings: await service.readSettings(db, orgId) })),
  on(contract.change, (ctx, { body }) => service.change(ctx, body)),
];
