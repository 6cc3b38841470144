import { defineRoom } from "../../platform/rooms.ts";
import { jobs } from "./jobs.ts";
import { isOperator } from "./operators.ts";
import { routes } from "./routes.ts";
import { sessionCredential } from "./sessions/index.ts";
import { sealedSecrets } from "./two-factor/index.ts";

export { User } from "./contract.ts";
export { cookieName, noSessionCookie } from "./cookie.ts";
export { proveMailbox } from "./mailbox/index.ts";
export { commandLine } from "./pages.ts";
export { hashPassword } from "./passwords.ts";
export { provisionalAddress } from "./provisional.ts";
export { sessionCredential } from "./sessions/index.ts";
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
  credentials: [sessionCredential],
  isOperator,
  sealedColumns: [sealedSecrets],
});
