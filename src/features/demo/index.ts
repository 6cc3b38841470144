export { type DemoWorkspace, fillDemo } from "./service.ts";
