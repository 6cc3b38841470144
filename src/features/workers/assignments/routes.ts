import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { params }) => service.list(ctx, params.id)),
  on(contract.readTemplate, (ctx, { params }) => service.readTemplate(ctx, params.id, params.templateId)),
  on(contract.issueToken, (ctx, { params, body }) =>
    service.issueConnectionToken(ctx, params.id, params.connectionId, body),
  ),
];
