import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.codehost, (ctx, { query, headers, readBytes }) =>
    service.receiveDelivery(ctx, { only: undefined, connector: query.connector, headers, readBytes }),
  ),
  ...contract.named.map(({ dialect, spec }) =>
    on(spec, (ctx, { query, headers, readBytes }) =>
      service.receiveDelivery(ctx, { only: dialect, connector: query.connector, headers, readBytes }),
    ),
  ),
];
