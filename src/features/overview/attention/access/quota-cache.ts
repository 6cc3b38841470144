import type { OrgId } from "../../../../platform/context.ts";
import { defineState } from "../../../../platform/state.ts";
import { listQuotas } from "../../../quotas/index.ts";

/** Reading all quotas takes some twenty counts, so they are read once a minute. */
const validMs = 60_000;
const maxOrganizations = 1_000;

type Quotas = Awaited<ReturnType<typeof listQuotas>>["items"];

/** The quotas of organizations, read a short time ago. */
export const quotaCache = defineState({
  name: "quotas of the overview",
  create(platform) {
    const known = new Map<OrgId, { readAt: number; quotas: Promise<Quotas> }>();
    return {
      read(orgId: OrgId): Promise<Quotas> {
        const found = known.get(orgId);
        const now = performance.now();
        if (found && now - found.readAt < validMs) return found.quotas;
        const quotas = listQuotas(platform, orgId).then(({ items }) => items);
        known.delete(orgId);
        known.set(orgId, { readAt: now, quotas });
        quotas.catch(() => known.delete(orgId));
        const [oldest] = known.keys();
        if (known.size > maxOrganizations && oldest) known.delete(oldest);
        return quotas;
      },
    };
  },
});
