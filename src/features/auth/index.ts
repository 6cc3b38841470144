import { defineRoom } from "../../platform/rooms.ts";
import { cookieName } from "./cookie.ts";
import { jobs } from "./jobs.ts";
import { authLibrary } from "./library.ts";
import { routes } from "./routes.ts";
import { resolveSession } from "./service.ts";
import { sessionDays } from "./sessions/index.ts";
import { touchSessions } from "./store.ts";
import { sealedSecrets } from "./two-factor/index.ts";

export { hashPassword } from "better-auth/crypto";
export { User } from "./contract.ts";
export { cookieName, noSessionCookie } from "./cookie.ts";
export { proveMailbox } from "./mailbox/index.ts";
export { commandLine } from "./pages.ts";
export { provisionalAddress } from "./provisional.ts";
export { resolveSession } from "./service.ts";
export { errandPage, signInFirstPage, signInForms, signInScript } from "./sign-in-page.ts";
export { offersSignUp } from "./sign-up/index.ts";
export {
  findUser,
  insertProvisional,
  listOrganizationIds,
  removeUser,
  renameUser,
  setActiveOrganization,
} from "./store.ts";
export { isOn as hasTwoFactor, resetTwoFactor } from "./two-factor/index.ts";
export { requireVerifiedAddress } from "./verified.ts";
export { findVisitor } from "./visitor.ts";

export const room = defineRoom({
  name: "auth",
  tags: [{ name: "Authentication", description: "Accounts and sessions." }],
  routes,
  jobs,
  credentials: [
    {
      kind: "session",
      carrier: "session",
      cookieName,
      resolve: resolveSession,
      recordUse: (db, ids) => touchSessions(db, ids, sessionDays),
    },
  ],
  sealedColumns: [sealedSecrets],
  state: [authLibrary],
});
