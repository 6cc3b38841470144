import { defineRoom } from "../../platform/rooms.ts";
import { jobs } from "./jobs.ts";
import { isOperator } from "./operators.ts";
import { routes } from "./routes.ts";
import { sessionCredential } from "./sessions/index.ts";
import { sealedSecrets } from "./two-factor/index.ts";

export { User } from "./contract.ts";
export { cookieName, createExpiredSessionCookie } from "./cookie.ts";
export { confirmMailbox } from "./mailbox/index.ts";
export { loginCommand } from "./pages.ts";
export { hashPassword } from "./passwords.ts";
export { provisionalAddress } from "./provisional.ts";
export { sessionCredential } from "./sessions/index.ts";
export { actionPage, signInForms, signInPage, signInScript } from "./sign-in-page.ts";
export { offersSignUp } from "./sign-up/index.ts";
export {
  findUser,
  insertProvisionalUser,
  listOrganizationIds,
  removeUser,
  renameUser,
  setActiveOrganization,
} from "./store.ts";
export { hasTwoFactor, resetTwoFactor } from "./two-factor/index.ts";
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
