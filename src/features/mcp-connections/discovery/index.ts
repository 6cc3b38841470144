export { Discovery, DiscoveryInput, EvidenceItem, targetUrl } from "./contract.ts";
export { fitForKeeping } from "./fit.ts";
export { createRedaction, listSecrets } from "./redact.ts";
export { routes } from "./routes.ts";
export { runDiscovery } from "./service.ts";
