import { serve } from "../calls/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

const noBulk = () => service.refuseUnsupported("Bulk requests are not supported. Send single requests.");
const noSearch = () =>
  service.refuseUnsupported("Search in /Users/.search or in /Groups/.search, one kind at a time.");
const noMe = () =>
  service.refuseUnsupported("/Me is not supported: the token belongs to a directory. Use /Users and an id.");

export const routes = [
  serve(contract.serviceProviderConfig, (ctx, { query }) => service.describeService(ctx, query)),
  serve(contract.resourceTypes, (ctx, { query }) => service.listResourceTypes(ctx, query)),
  serve(contract.resourceType, (ctx, { params, query }) => service.readResourceType(ctx, query, params.id)),
  serve(contract.schemas, (ctx, { query }) => service.listSchemas(ctx, query)),
  serve(contract.schema, (ctx, { params, query }) => service.readSchema(ctx, query, params.id)),
  serve(contract.bulk, noBulk),
  serve(contract.searchAll, noSearch),
  serve(contract.readMe, noMe),
  serve(contract.createMe, noMe),
  serve(contract.replaceMe, noMe),
  serve(contract.patchMe, noMe),
  serve(contract.removeMe, noMe),
];
