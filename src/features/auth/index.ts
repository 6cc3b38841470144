import type { Db } from "../../platform/db/index.ts";
import { sessionDays } from "./sessions/index.ts";
import * as store from "./store.ts";

export { hashPassword } from "better-auth/crypto";
export { User } from "./contract.ts";
export { cookieName, noSessionCookie } from "./cookie.ts";
export { jobs } from "./jobs.ts";
export { proveMailbox } from "./mailbox/index.ts";
export { commandLine } from "./pages.ts";
export { provisionalAddress } from "./provisional.ts";
export { routes } from "./routes.ts";
export { resolveSession } from "./service.ts";
export { errandPage, signInFirstPage, signInForms, signInScript } from "./sign-in-page.ts";
export { offersSignUp } from "./sign-up/index.ts";
export {
  emailOf,
  findUser,
  hasUsers,
  insertProvisional,
  listOrganizationIds,
  removeUser,
  renameUser,
  setActiveOrganization,
} from "./store.ts";
export { isOn as hasTwoFactor, resetTwoFactor, sealedSecrets } from "./two-factor/index.ts";
export { requireVerifiedAddress } from "./verified.ts";
export { findVisitor } from "./visitor.ts";

export const touchSessions = (db: Db, ids: string[]) => store.touchSessions(db, ids, sessionDays);
