import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes as events } from "./events/index.ts";
import { routes as exports } from "./export/index.ts";
import { telemetryFields } from "./fields.ts";
import { eventBatcher } from "./ingest/index.ts";
import { knownNames, removeSomeNames } from "./names/index.ts";
import { routes as otlp } from "./otlp/index.ts";
import { removeSomePoints } from "./points/index.ts";
import { prune, pruneTurn } from "./retention/index.ts";
import { sumDays } from "./rollups/index.ts";
import { routes as settings, settingsCache } from "./settings/index.ts";
import { routes as summary } from "./summary/index.ts";

export { mappingVersion } from "./mapping/index.ts";
export { pruneAll as pruneTelemetry } from "./retention/index.ts";
export { mergeAll as sumTelemetry } from "./rollups/index.ts";
export { acceptsTelemetry } from "./settings/index.ts";

export const room = defineRoom({
  name: "telemetry",
  tags: [
    { name: "Telemetry", description: "What agents did and used, as they and their libraries report it." },
    { name: "OpenTelemetry", description: "OTLP/HTTP, which OpenTelemetry SDKs and collectors call." },
  ],
  routes: [...events, ...summary, ...exports, ...settings, ...otlp],
  jobs: [sumDays, prune],
  leftovers: [removeSomePoints, removeSomeNames],
  permissions: ["telemetry:report", "telemetry:read", "telemetry:manage"] satisfies Permission[],
  state: [settingsCache, knownNames, eventBatcher, pruneTurn],
  fields: telemetryFields,
});
