import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes as connectors, sealedSecrets } from "./connectors/index.ts";
import { routes as domains } from "./domains/index.ts";
import { ssoFields } from "./fields.ts";
import { jobs } from "./jobs.ts";
import { routes as people } from "./people/index.ts";
import { routes as saml, samlFields, jobs as samlJobs } from "./saml/index.ts";
import { providerCache, sealedAttempts, routes as signIn } from "./sign-in/index.ts";

export { listEndingCertificates } from "./connectors/index.ts";
export { isVerifiedDomain } from "./domains/index.ts";
export {
  checkMayChangeRequirement,
  checkMayRequireSso,
  endCredentialsOfLockedOut,
} from "./enforcement/index.ts";

export const room = defineRoom({
  name: "sso",
  tags: [
    { name: "SSO connectors", description: "Single sign-on with the organization's own identity provider." },
  ],
  routes: [...signIn, ...domains, ...saml, ...connectors, ...people],
  jobs: [...jobs, ...samlJobs],
  permissions: ["sso:read", "sso:manage"] satisfies Permission[],
  sealedColumns: [...sealedSecrets, sealedAttempts],
  state: [providerCache],
  fields: { ...ssoFields, ...samlFields },
});
