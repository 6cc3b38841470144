import { automationTools } from "./automations.ts";
import { connectionTools } from "./connections.ts";
import { templateTools } from "./templates.ts";
import { watchTool } from "./watch.ts";

export type { OwnTool } from "./define.ts";

export const ownTools = [...automationTools, watchTool, ...templateTools, ...connectionTools];
