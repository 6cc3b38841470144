import type { MemberCtx } from "../../../../platform/context.ts";
import { listEndingCertificates } from "../../../sso/index.ts";
import type { Item } from "../contract.ts";
import { createItem, rowLimit } from "../item.ts";
import { quotaCache } from "./quota-cache.ts";
import * as store from "./store.ts";

/** From this share of a quota on, it needs care. */
const nearlyFull = 0.9;

/** Keys, invitations, single sign-on and the directory. */
export async function findAccessItems({ db, orgId, member }: MemberCtx): Promise<Item[]> {
  const { permissions } = member;
  const may = permissions.has.bind(permissions);
  const keyReach = may("api_keys:manage") ? null : member.id;
  const [keys, invitations, certificates, domains, directory] = await Promise.all([
    may("api_keys:create") ? store.listExpiringKeys(db, orgId, keyReach, rowLimit) : [],
    may("members:invite") ? store.listExpiringInvitations(db, orgId, rowLimit) : [],
    may("sso:read") ? listEndingCertificates(db, orgId) : [],
    may("sso:read") ? store.listFailingDomains(db, orgId, rowLimit) : [],
    may("scim:read") ? store.findExpiringDirectory(db, orgId) : undefined,
  ]);
  return [
    ...keys.map(({ id, name, ...row }) =>
      createItem("warning", "api_key_expires", { type: "api_key", id, name }, row),
    ),
    ...invitations.map(({ id, email, ...row }) =>
      createItem("warning", "invitation_expires", { type: "invitation", id, name: email }, row),
    ),
    ...certificates.map(({ id, name, certificateEndsAt, certificateState }) =>
      createItem(
        certificateState === "ended" ? "error" : "warning",
        "sso_certificate_ends",
        { type: "sso_connector", id, name },
        { code: certificateState, dueAt: certificateEndsAt },
      ),
    ),
    ...domains.map(({ id, domain, since }) =>
      createItem("error", "sso_domain_failing", { type: "sso_domain", id, name: domain }, { since }),
    ),
    ...(directory
      ? [
          createItem(
            "warning",
            "scim_token_expires",
            { type: "scim_connector", id: directory.id, name: directory.name },
            { dueAt: directory.dueAt },
          ),
        ]
      : []),
  ];
}

export async function findQuotaItems({ state, orgId }: MemberCtx): Promise<Item[]> {
  const quotas = await state.get(quotaCache).read(orgId);
  return quotas.flatMap(({ name, unit, used, limit }) =>
    used === null || limit === null || limit === 0 || used < nearlyFull * limit
      ? []
      : [
          createItem(
            used >= limit ? "error" : "warning",
            "quota_nearly_full",
            { type: "quota", id: name, name },
            { code: unit, used, limit },
          ),
        ],
  );
}
