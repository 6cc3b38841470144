export { refuseWhileBreakGlass, reportBreakGlass } from "./service.ts";
