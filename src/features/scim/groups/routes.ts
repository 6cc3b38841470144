import { serve } from "../calls/index.ts";
import { readListRequest, readSearchBody, writeTag } from "../messages/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";
import type { Asked } from "./write.ts";

export const routes = [
  serve(contract.create, async (ctx, { body, query, setHeader }) => {
    const { resource, version, location } = await service.create(ctx, body, query as Asked);
    setHeader("etag", writeTag(version));
    setHeader("location", location);
    return resource;
  }),
  serve(contract.list, (ctx, { query }) => service.list(ctx, readListRequest("scg", query))),
  serve(contract.search, (ctx, { body }) => service.list(ctx, readSearchBody("scg", body))),
  serve(contract.read, async (ctx, { params, query, headers, setHeader }) => {
    const found = await service.read(ctx, params.id, query as Asked, headers);
    setHeader("etag", writeTag(found.version));
    return "resource" in found
      ? { status: 200 as const, body: found.resource }
      : { status: 304 as const, body: undefined };
  }),
  serve(contract.replace, async (ctx, { params, query, body, headers, setHeader }) => {
    const { resource, version } = await service.replace(ctx, params.id, body, query as Asked, headers);
    setHeader("etag", writeTag(version));
    return resource;
  }),
  serve(contract.patch, async (ctx, { params, query, body, headers, setHeader }) => {
    const { resource, version } = await service.patch(ctx, params.id, body, query as Asked, headers);
    setHeader("etag", writeTag(version));
    return resource;
  }),
  serve(contract.remove, (ctx, { params, headers }) => service.remove(ctx, params.id, headers)),
];
