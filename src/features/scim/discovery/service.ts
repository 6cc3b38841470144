import { forbidden, notFound, Refusal } from "../../../platform/errors.ts";
import type { ScimCtx } from "../calls/index.ts";
import { describeResourceTypes, describeSchemas } from "../definitions/index.ts";
import { type ListResponse, maxCount, type Resource, writeList } from "../messages/index.ts";
import { createBaseUrl } from "../protocol.ts";

type Query = Readonly<Record<string, unknown>>;

/** The documents ignore parameters of lists, but a caller would rely on a filter (RFC 7644, 4). */
function refuseFilter({ filter }: Query): void {
  if (filter === undefined) return;
  throw forbidden(
    "filter_not_supported",
    "The documents about the service cannot be filtered. Leave `filter` out.",
  );
}

/** Describes what the routes support (RFC 7643, 5; RFC 9865, 4). */
export function describeService({ config }: ScimCtx, query: Query): Resource {
  refuseFilter(query);
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: maxCount },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: "index",
      defaultPageSize: 100,
      maxPageSize: maxCount,
    },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer token",
        description: "The token of the SCIM connector, in the header Authorization.",
        specUri: "https://www.rfc-editor.org/rfc/rfc6750",
        primary: true,
      },
    ],
    meta: {
      resourceType: "ServiceProviderConfig",
      location: `${createBaseUrl(config)}/ServiceProviderConfig`,
    },
  };
}

const toList = (resources: Resource[]): ListResponse =>
  writeList(
    { byCursor: false, page: { offset: 0, limit: resources.length } },
    resources.length,
    resources,
    undefined,
  );

export function listResourceTypes({ config }: ScimCtx, query: Query): ListResponse {
  refuseFilter(query);
  return toList(describeResourceTypes(createBaseUrl(config)));
}

export function listSchemas({ config }: ScimCtx, query: Query): ListResponse {
  refuseFilter(query);
  return toList(describeSchemas(createBaseUrl(config)));
}

function findOne(list: readonly Resource[], id: string, thing: string): Resource {
  const found = list.find((one) => String(one.id).toLowerCase() === id.toLowerCase());
  if (!found) throw notFound(thing);
  return found;
}

export function readResourceType({ config }: ScimCtx, query: Query, id: string): Resource {
  refuseFilter(query);
  return findOne(describeResourceTypes(createBaseUrl(config)), id, "resource_type");
}

export function readSchema({ config }: ScimCtx, query: Query, id: string): Resource {
  refuseFilter(query);
  return findOne(describeSchemas(createBaseUrl(config)), id, "schema");
}

export function refuseUnsupported(message: string): never {
  throw new Refusal(501, { error: "not_implemented", message });
}
