export { forgetSecrets, type SecretValue, secretCache } from "./cache.ts";
export { WebhookSecret } from "./contract.ts";
export { routes } from "./routes.ts";
export { sealedSecrets } from "./sealing.ts";
export { createSecret } from "./service.ts";
export { hasConnector, setSecretLastUsed } from "./store.ts";
