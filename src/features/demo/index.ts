export { removeDemo } from "./removal.ts";
export { type DemoWorkspace, fillDemo } from "./service.ts";
