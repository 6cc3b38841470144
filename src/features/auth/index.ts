import { defineRoom } from "../../platform/rooms.ts";
import { jobs } from "./jobs.ts";
import { isOperator } from "./operators.ts";
import { fields } from "./passkeys/index.ts";
import { routes } from "./routes.ts";
import { sessionCredential } from "./sessions/index.ts";
import { sealedSecrets } from "./two-factor/index.ts";

export { refuseWhileBreakGlass } from "./break-glass/index.ts";
export { User } from "./contract.ts";
export { cookieName, createExpiredSessionCookie, createSessionCookie } from "./cookie.ts";
export { confirmMailbox } from "./mailbox/index.ts";
export { isOperator } from "./operators.ts";
export { loginCommand } from "./pages.ts";
export { hashPassword } from "./passwords.ts";
export { announceProvenAddress } from "./proven-address.ts";
export { provisionalAddress } from "./provisional.ts";
export { resetTwoFactor, resetTwoFactorOfUser } from "./second-factor-reset.ts";
export {
  endSession,
  refreshSessionBySso,
  removeOtherSessions,
  removeSessionsOfConnector,
  type SsoOrigin,
  sessionCredential,
  startSsoSession,
} from "./sessions/index.ts";
export { actionPage, signInForms, signInPage, signInScript } from "./sign-in-page.ts";
export { offersSignUp } from "./sign-up/index.ts";
export {
  findAccountTies,
  findUser,
  findUserByEmail,
  insertProvisionalUser,
  insertUserOfOrganization,
  listOrganizationIds,
  removeUser,
  renameUser,
  setActiveOrganization,
} from "./store.ts";
export { hasTwoFactor } from "./two-factor/index.ts";
export { requireVerifiedAddress } from "./verified.ts";
export { findVisitor } from "./visitor.ts";

export const room = defineRoom({
  name: "auth",
  tags: [{ name: "Authentication", description: "Accounts and sessions." }],
  routes,
  jobs,
  credentials: [sessionCredential],
  isOperator,
  fields,
  sealedColumns: [sealedSecrets],
});
