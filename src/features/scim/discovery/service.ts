import { notFound, Refusal } from "../../../platform/errors.ts";
import type { ScimCtx } from "../calls/index.ts";
import { describeResourceTypes, describeSchemas } from "../definitions/index.ts";
import { type ListResponse, maxCount, type Resource, writeList } from "../messages/index.ts";
import { createBaseUrl } from "../protocol.ts";

/** Describes what the routes support (RFC 7643, 5; RFC 9865, 4). */
export function describeService({ config }: ScimCtx): Resource {
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

export const listResourceTypes = ({ config }: ScimCtx) =>
  toList(describeResourceTypes(createBaseUrl(config)));
export const listSchemas = ({ config }: ScimCtx) => toList(describeSchemas(createBaseUrl(config)));

function findOne(list: readonly Resource[], id: string, thing: string): Resource {
  const found = list.find((one) => String(one.id).toLowerCase() === id.toLowerCase());
  if (!found) throw notFound(thing);
  return found;
}

export const readResourceType = ({ config }: ScimCtx, id: string) =>
  findOne(describeResourceTypes(createBaseUrl(config)), id, "resource_type");
export const readSchema = ({ config }: ScimCtx, id: string) =>
  findOne(describeSchemas(createBaseUrl(config)), id, "schema");

export function refuseUnsupported(message: string): never {
  throw new Refusal(501, { error: "not_implemented", message });
}
