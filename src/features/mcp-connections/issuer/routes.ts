import { onPrepared } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  onPrepared(
    contract.moveIssuer,
    (ctx, { params, body }) => service.prepareMove(ctx, params.id, body),
    (ctx, { params, prepared }) => service.move(ctx, params.id, prepared),
  ),
];
