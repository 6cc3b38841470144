export { createConfiguration } from "./configuration.ts";
