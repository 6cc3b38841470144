export { isUsageMetric } from "./classify.ts";
export { mapFields, readMetricUsage } from "./fields.ts";
export { mappingVersion } from "./names.ts";
