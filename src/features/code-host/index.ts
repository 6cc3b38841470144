import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { installationTokens, sealedAccess } from "./access/index.ts";
import { routes as checks } from "./checks/index.ts";
import { routes as connectors, removeLeftovers } from "./connectors/index.ts";
import {
  routes as deliveries,
  removeOldRecords,
  removeSomeOfConnectors,
  removeSomeOfSecrets,
  removeSomeTargets,
} from "./deliveries/index.ts";
import { compareHeads } from "./head-checks/index.ts";
import { routes as ingress, pushRecorder } from "./ingress/index.ts";
import { refusalLog, routes as refused } from "./refused/index.ts";
import { sealedSecrets, secretCache, routes as secrets } from "./secrets/index.ts";
import { removeOldSyncs, removeSomeSyncs, runSyncs, routes as syncs, syncWorker } from "./syncs/index.ts";

export { createSecret } from "./secrets/index.ts";

export const room = defineRoom({
  name: "code-host",
  tags: [
    { name: "Connectors", description: "Repositories whose files become templates." },
    { name: "Connector Syncs", description: "Make templates equal to the files of a repository." },
    { name: "Webhooks", description: "Webhook deliveries from code hosts, and their outcome." },
  ],
  routes: [...connectors, ...checks, ...secrets, ...syncs, ...ingress, ...deliveries, ...refused],
  jobs: [runSyncs, compareHeads, removeOldSyncs, removeOldRecords, removeLeftovers],
  leftovers: [removeSomeTargets, removeSomeOfConnectors, removeSomeOfSecrets, removeSomeSyncs],
  permissions: ["connectors:read", "connectors:manage"] satisfies Permission[],
  sealedColumns: [sealedAccess, sealedSecrets],
  state: [installationTokens, secretCache, pushRecorder, syncWorker, refusalLog],
});
