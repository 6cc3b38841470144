export { WebhookSecret } from "./contract.ts";
export { routes } from "./routes.ts";
export { makeSecret } from "./service.ts";

export const sealedSecrets = { table: "connector_secrets", id: "id", column: "secret" };
