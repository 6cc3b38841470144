import { serveResource } from "../replies/index.ts";
import { contract } from "./contract.ts";
import * as service from "./service.ts";

export const routes = serveResource(contract, service, "scg");
