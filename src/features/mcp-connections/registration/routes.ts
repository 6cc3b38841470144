import { on } from "../../../platform/http/index.ts";
import { describeClient } from "./client-metadata.ts";
import * as contract from "./contract.ts";

export const routes = [
  on(contract.clientMetadata, (ctx, { setHeader }) => {
    setHeader("cache-control", "public, max-age=3600");
    return describeClient(ctx.config);
  }),
];
