export * from "./contract.ts";
export * from "./store.ts";
