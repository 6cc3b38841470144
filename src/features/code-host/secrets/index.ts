export { forgetSecrets, type SecretValue, secretCache } from "./cache.ts";
export { WebhookSecret } from "./contract.ts";
export { routes } from "./routes.ts";
export { sealedSecrets } from "./sealing.ts";
export { makeSecret } from "./service.ts";
export { hasConnector, touchSecret } from "./store.ts";
