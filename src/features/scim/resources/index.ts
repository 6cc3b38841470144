export { isReturned, type Projection, readProjection, writeResource } from "./projection.ts";
export { readGroup, readMembers, readUser, setValue } from "./read.ts";
export type { Attributes, GroupResource, UserResource } from "./types.ts";
export {
  checkCount,
  checkWritable,
  countNames,
  dropIncomplete,
  isObject,
  isStorable,
  readBoolean,
  readValue,
  readValues,
  tidyValues,
} from "./values.ts";
