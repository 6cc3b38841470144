export { type Attribute, commonAttributes, type Definition, type Schema } from "./attribute.ts";
export { describeResourceTypes, describeSchemas } from "./describe.ts";
export { groupDefinition, maxMembersPerRequest } from "./group.ts";
export { findAttribute, findSchema, findTarget, type Target } from "./names.ts";
export { enterpriseUrn, userDefinition } from "./user.ts";
