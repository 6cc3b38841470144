import type { Db } from "../../platform/db/index.ts";
import { sessionDays } from "./sessions/index.ts";
import * as store from "./store.ts";

export { User } from "./contract.ts";
export { cookieName, noSessionCookie } from "./cookie.ts";
export { jobs } from "./jobs.ts";
export { signInPage } from "./pages.ts";
export { provisionalAddress } from "./provisional.ts";
export { routes } from "./routes.ts";
export { resolveSession, signUp } from "./service.ts";
export {
  confirmAddress,
  emailOf,
  findUser,
  hasUsers,
  insertProvisional,
  removeUser,
  renameUser,
  setActiveOrganization,
} from "./store.ts";
export { isOn as hasTwoFactor, sealedSecrets } from "./two-factor/index.ts";

export const touchSessions = (db: Db, ids: string[]) => store.touchSessions(db, ids, sessionDays);
