export { fillDemo } from "./service.ts";
