import { on } from "../../../platform/http/index.ts";
import { paths } from "../server/index.ts";
import * as contract from "./contract.ts";
import { describeResource, describeServer } from "./metadata.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.serverMetadata, ({ config }) => describeServer(config.publicUrl)),
  on(contract.resourceMetadata, ({ config }) => describeResource(config.publicUrl)),
  on(contract.rootResourceMetadata, ({ config }) => describeResource(config.publicUrl)),
  on(contract.authorize, (ctx, { search }) => service.authorize(ctx, search)),
  on(contract.resume, (ctx, { params, headers }) => service.resume(ctx, params.uid, headers.cookie)),
  on(contract.token, async (ctx, { headers, readBytes }) =>
    service.answerForm(ctx, paths.token, headers["content-type"], await readBytes()),
  ),
  on(contract.revoke, async (ctx, { headers, readBytes }) =>
    service.answerForm(ctx, paths.revoke, headers["content-type"], await readBytes()),
  ),
  on(contract.register, async (ctx, { readBytes }) => service.register(ctx, await readBytes())),
];
