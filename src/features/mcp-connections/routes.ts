import { on } from "../../platform/http/index.ts";
import { routes as access } from "./access/index.ts";
import { callRoutes } from "./calls/index.ts";
import { routes as checks } from "./checks/index.ts";
import * as contract from "./contract.ts";
import { routes as credentials } from "./credentials/index.ts";
import { routes as discovery } from "./discovery/index.ts";
import { notBuilt } from "./pending.ts";
import { routes as registration } from "./registration/index.ts";
import { routes as tools } from "./tools/index.ts";
import { routes as transfer } from "./transfer/index.ts";

export const routes = [
  ...discovery,
  on(contract.list, notBuilt),
  on(contract.create, notBuilt),
  on(contract.read, notBuilt),
  on(contract.change, notBuilt),
  on(contract.remove, notBuilt),
  ...checks,
  ...credentials,
  ...access,
  ...registration,
  ...tools,
  ...callRoutes,
  ...transfer,
];
