export { routes } from "./routes.ts";
export { type Rediscovery, rediscover } from "./service.ts";
export { setHealth, setProtocolVersion } from "./store.ts";
