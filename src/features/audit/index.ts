import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { jobs } from "./jobs.ts";
import { routes } from "./routes.ts";
import { signedChains } from "./sign.ts";
import { removeSome } from "./store.ts";

export { AuditEvent, listQuery as auditQuery } from "./contract.ts";
export {
  type Change,
  findLatestInstanceEntry,
  listInstanceEntries,
  readInstanceEntry,
  record,
  recordAsSystem,
  recordByMember,
  recordByUser,
  recordPastChange,
  removeInstanceChain,
} from "./service.ts";
export { renewChainSignatures, type SigningResult, signChains } from "./sign.ts";
export { findTargetNames } from "./target-names/service.ts";
export { type Verdict, verifyChains } from "./verify.ts";

export const room = defineRoom({
  name: "audit",
  tags: [{ name: "Audit", description: "Records of what was changed, by whom and from where." }],
  routes,
  jobs,
  leftovers: [removeSome],
  permissions: ["audit:read", "audit:manage"] satisfies Permission[],
  signedColumns: [signedChains],
});
