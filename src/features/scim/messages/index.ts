export * from "./contract.ts";
export { type ListRequest, maxCount, readListRequest, readSearchBody, writeList } from "./lists.ts";
export { defineResourceContract, type ResourceContract } from "./resource-contract.ts";
export { checkIfMatch, isUnchanged, writeTag } from "./versions.ts";
