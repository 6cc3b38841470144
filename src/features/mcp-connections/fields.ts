import type { FieldGuide } from "../../platform/http/index.ts";
import { fields as tools } from "./tools/index.ts";

/** Fields of MCP connections. */
export const fields: FieldGuide = { ...tools };
