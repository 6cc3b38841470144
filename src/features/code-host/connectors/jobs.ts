import { job } from "../../../platform/jobs/index.ts";
import { type LeftoverKind, maxRemovalMs, removeInSteps } from "../../../platform/leftovers/index.ts";
import { removeSomeOfConnector, removeSomeTargetsOfConnector } from "../deliveries/index.ts";
import { removeSomeSyncsOfConnector } from "../syncs/index.ts";
import * as store from "./store.ts";

/** What deleted connectors have left. Statements that show rows leave out those whose connector is gone. */
const leftovers: LeftoverKind<store.DeletedConnector> = {
  listMarks: store.listDeletedAcrossOrganizations,
  readKey: ({ connectorId }) => connectorId,
  removeMark: (db, { orgId, connectorId }) => store.removeMark(db, orgId, connectorId),
  removers: [removeSomeTargetsOfConnector, removeSomeOfConnector, removeSomeSyncsOfConnector].map(
    (remove) =>
      (db, { orgId, connectorId }, limit) =>
        remove(db, orgId, connectorId, limit),
  ),
};

export const removeLeftovers = job({
  name: "connectors.remove_leftovers",
  schedule: "* * * * *",
  handle: ({ db }) => removeInSteps(db, leftovers, Date.now() + maxRemovalMs),
});
