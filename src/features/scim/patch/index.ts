export { applyGroupPatch, type MemberChanges } from "./group.ts";
export { applyUserPatch } from "./resource.ts";
