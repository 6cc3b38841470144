import type { FieldGuide } from "../../platform/http/index.ts";

export const fields: FieldGuide = {};
