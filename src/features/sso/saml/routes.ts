import { baseHeaders, on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as metadata from "./metadata.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.create, (ctx, { body }) => service.create(ctx, body)),
  on(contract.readMetadata, (ctx, { params }) => metadata.readMetadata(ctx, params.id)),
  on(contract.refreshMetadata, (ctx, { params, body }) => metadata.refreshMetadata(ctx, params.id, body)),
  on(contract.approveMetadata, (ctx, { params, body }) => metadata.approveMetadata(ctx, params.id, body)),
  on(contract.rotateCertificate, (ctx, { params }) => service.rotateCertificate(ctx, params.id)),
  on(
    contract.ownMetadata,
    async (ctx, { params }) =>
      new Response(await service.writeOwnMetadata(ctx, params.id), {
        headers: {
          ...baseHeaders,
          "content-type": "application/samlmetadata+xml",
          "cache-control": "no-store",
        },
      }),
  ),
];
