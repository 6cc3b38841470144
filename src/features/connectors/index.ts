import { sealedAccess } from "./access/index.ts";
import { sealedSecrets } from "./secrets/index.ts";

export { routes } from "./routes.ts";

export const sealedColumns = [sealedAccess, sealedSecrets];
