export { callLog } from "./recorder.ts";
export { routes } from "./routes.ts";
export { lockConnector, type ScimCtx, serve } from "./serve.ts";
