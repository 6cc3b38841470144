export { mapFields, readMetricUsage } from "./fields.ts";
export { mappingVersion } from "./names.ts";
