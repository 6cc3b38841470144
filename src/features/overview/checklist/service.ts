import type { MemberCtx } from "../../../platform/context.ts";
import type { Permission } from "../../permissions/index.ts";
import type { Step, StepName } from "./contract.ts";
import * as store from "./store.ts";

export async function readChecklist({ db, orgId, member }: MemberCtx) {
  const first = await store.findFirstTimes(db, orgId);
  const createStep = (step: StepName, permission: Permission, doneAt: number | null): Step => ({
    ...{ step, done: doneAt !== null, doneAt, permission },
    allowed: member.permissions.has(permission),
  });
  const steps = [
    createStep("discover_server", "mcp:discover", first.discoveryAt),
    createStep("connect_account", "connections:use", first.connectionAt),
    createStep("run_automation", "automations:create", first.runAt),
    createStep("connect_repository", "connectors:manage", first.connectorAt),
    createStep("invite_someone", "members:invite", first.invitationAt ?? first.secondMemberAt),
  ];
  return { steps, done: steps.filter(({ done }) => done).length };
}
