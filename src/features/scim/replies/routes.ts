import type { HttpHeaders, Route } from "../../../platform/http/index.ts";
import { type ScimCtx, serve } from "../calls/index.ts";
import {
  type ListRequest,
  type ListResponse,
  type ResourceContract,
  readListRequest,
  readSearchBody,
  writeTag,
} from "../messages/index.ts";
import type { Answer, Asked } from "./writer.ts";

/** The calls that answer the routes of one kind of resource. */
interface ResourceService {
  create(ctx: ScimCtx, body: unknown, asked: Asked): Promise<Answer>;
  list(ctx: ScimCtx, request: ListRequest): Promise<ListResponse>;
  /** Without a resource when the caller knows this version. */
  read(
    ctx: ScimCtx,
    id: string,
    asked: Asked,
    headers: HttpHeaders,
  ): Promise<Answer | Pick<Answer, "version">>;
  replace(ctx: ScimCtx, id: string, body: unknown, asked: Asked, headers: HttpHeaders): Promise<Answer>;
  patch(ctx: ScimCtx, id: string, body: unknown, asked: Asked, headers: HttpHeaders): Promise<Answer>;
  remove(ctx: ScimCtx, id: string, headers: HttpHeaders): Promise<void>;
}

/** `prefix` is that of the ids. */
export function serveResource(
  contract: ResourceContract,
  service: ResourceService,
  prefix: "scu" | "scg",
): Route[] {
  const change = async (
    changed: Promise<Answer>,
    setHeader: (name: string, value: string) => void,
  ): Promise<Answer["resource"]> => {
    const { resource, version } = await changed;
    setHeader("etag", writeTag(version));
    return resource;
  };
  return [
    serve(contract.create, async (ctx, { body, query, setHeader }) => {
      const { resource, version, location } = await service.create(ctx, body, query as Asked);
      setHeader("etag", writeTag(version));
      setHeader("location", location);
      return resource;
    }),
    serve(contract.list, (ctx, { query }) => service.list(ctx, readListRequest(prefix, query))),
    serve(contract.search, (ctx, { body }) => service.list(ctx, readSearchBody(prefix, body))),
    serve(contract.read, async (ctx, { params, query, headers, setHeader }) => {
      const found = await service.read(ctx, params.id, query as Asked, headers);
      setHeader("etag", writeTag(found.version));
      return "resource" in found
        ? { status: 200 as const, body: found.resource }
        : { status: 304 as const, body: undefined };
    }),
    serve(contract.replace, (ctx, { params, query, body, headers, setHeader }) =>
      change(service.replace(ctx, params.id, body, query as Asked, headers), setHeader),
    ),
    serve(contract.patch, (ctx, { params, query, body, headers, setHeader }) =>
      change(service.patch(ctx, params.id, body, query as Asked, headers), setHeader),
    ),
    serve(contract.remove, (ctx, { params, headers }) => service.remove(ctx, params.id, headers)),
  ];
}
