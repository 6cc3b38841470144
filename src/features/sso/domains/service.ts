import type { JobReference, MemberCtx, Platform } from "../../../platform/context.ts";
import { violatedConstraint } from "../../../platform/db/index.ts";
import { conflict, invalidField, notFound, unavailable } from "../../../platform/errors.ts";
import { countAttempt, cutPageById, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { newToken } from "../../../platform/secrets.ts";
import { TextRecordsError } from "../../../platform/text-records.ts";
import { record, recordAsSystem } from "../../audit/index.ts";
import { takeQuota } from "../../quotas/index.ts";
import { lockAuthority } from "../../roles/index.ts";
import type { SsoDomain } from "./contract.ts";
import * as mails from "./mails.ts";
import { publicDomains } from "./public-domains.ts";
import * as store from "./store.ts";

const txtName = (domain: string) => `_signalbox-challenge.${domain}`;
const txtValue = (challenge: string) => `signalbox-domain-verification=${challenge}`;

const toDomain = ({ orgId: _, challenge, ...row }: store.DomainRow): SsoDomain => ({
  ...row,
  txtName: txtName(row.domain),
  txtValue: txtValue(challenge),
});

const toTarget = (id: string) => ({ type: "sso_domain", id });

export async function list({ db, orgId }: MemberCtx, query: PageQuery) {
  const rows = await store.list(db, orgId, readIdCursor(query, "dom"), query.limit + 1);
  const { items, nextCursor } = cutPageById(rows, query);
  return { items: items.map(toDomain), nextCursor };
}

export async function create(ctx: MemberCtx, { domain }: { domain: string }) {
  const { orgId } = ctx;
  if (publicDomains.has(domain))
    throw invalidField(
      ["domain"],
      "Addresses of this domain belong to many people. Name a domain of your own.",
    );
  return ctx.db.transaction(async (tx) => {
    await lockAuthority(ctx, tx, "sso:manage");
    await takeQuota(ctx, tx, orgId, "sso_domains");
    const row = await store.insert(tx, orgId, { id: newId("dom"), domain, challenge: newToken("") });
    if (!row) throw conflict("domain_exists", "The organization has named this domain already.");
    const added = toDomain(row);
    await record(ctx, tx, { action: "sso_domain.added", target: toTarget(row.id), after: { domain } });
    return { domain: added };
  });
}

async function requireDomain({ db, orgId }: MemberCtx, id: string): Promise<store.DomainRow> {
  const row = isId("dom", id) ? await store.find(db, orgId, id) : undefined;
  if (!row) throw notFound("sso_domain");
  return row;
}

/** Returns whether the record is there. Undefined when the name servers give no answer. */
async function hasRecord(
  { resolveTexts }: Pick<Platform, "resolveTexts">,
  { domain, challenge }: Pick<store.DomainRow, "domain" | "challenge">,
): Promise<boolean | undefined> {
  try {
    return (await resolveTexts(txtName(domain))).some((text) => text.trim() === txtValue(challenge));
  } catch (error) {
    if (error instanceof TextRecordsError) return undefined;
    throw error;
  }
}

/** The job of `scim`, which imports this room. */
const linkUsers = { name: "scim.domain-verified" } satisfies JobReference;

const verifyLimit = { attempts: 60, perSeconds: 3600 };

export async function verify(ctx: MemberCtx, id: string) {
  const { db, orgId } = ctx;
  const row = await requireDomain(ctx, id);
  await countAttempt(db, `sso domain ${orgId}`, verifyLimit);
  const found = await hasRecord(ctx, row);
  if (found === undefined)
    throw unavailable(`The name servers of ${row.domain} gave no answer. Try again in a minute.`, 60);
  if (!found)
    throw conflict(
      "txt_record_not_found",
      `There is no TXT record ${txtName(row.domain)} with the value ${txtValue(row.challenge)}. A new record can take some time to be visible.`,
    );
  try {
    return await db.transaction(async (tx) => {
      await lockAuthority(ctx, tx, "sso:manage");
      const after = await store.markVerified(tx, orgId, row.id);
      if (!after) throw notFound("sso_domain");
      const { domain, verifiedAt } = row;
      await ctx.jobs.add(tx, linkUsers, { orgId, domain });
      await record(ctx, tx, {
        action: "sso_domain.verified",
        target: toTarget(id),
        before: { domain, verifiedAt },
        after: { domain, verifiedAt: after.verifiedAt },
      });
      return { domain: toDomain(after) };
    });
  } catch (error) {
    if (violatedConstraint(error) === "sso_domains_verified")
      throw conflict(
        "domain_taken",
        "Another organization of this instance has verified this domain. It must release the domain first.",
      );
    throw error;
  }
}

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  const { orgId } = ctx;
  await ctx.db.transaction(async (tx) => {
    await lockAuthority(ctx, tx, "sso:manage");
    const row = isId("dom", id) ? await store.remove(tx, orgId, id) : undefined;
    if (!row) throw notFound("sso_domain");
    const before = { domain: row.domain, verifiedAt: row.verifiedAt };
    await record(ctx, tx, { action: "sso_domain.released", target: toTarget(id), before });
  });
}

const graceDays = 7;
const domainsPerRun = 200;

/** Checks the records of verified domains again. A lookup without an answer proves nothing and changes nothing. */
export async function checkDueDomains(platform: Platform): Promise<void> {
  for (const row of await store.listDueAcrossOrganizations(platform.db, domainsPerRun)) {
    const found = await hasRecord(platform, row);
    if (found === undefined) await store.postpone(platform.db, row.orgId, row.id);
    else if (found) await store.markVerified(platform.db, row.orgId, row.id);
    else await noteMissingRecord(platform, row);
  }
}

async function noteMissingRecord(platform: Platform, before: store.DomainRow): Promise<void> {
  const { orgId, id, domain, challenge } = before;
  await platform.db.transaction(async (tx) => {
    const after = await store.markMissing(tx, orgId, id, graceDays);
    if (!after) return;
    const isFirst = before.failingSince === null;
    const isLost = after.verifiedAt === null;
    if (!isFirst && !isLost) return;
    await recordAsSystem(tx, orgId, {
      action: isLost ? "sso_domain.lost" : "sso_domain.record_missing",
      target: toTarget(id),
      after: { domain, failingSince: after.failingSince },
    });
    const { publicUrl } = platform.config;
    const facts = { domain, txtName: txtName(domain), txtValue: txtValue(challenge), graceDays };
    const createMail = isLost ? mails.createDomainLostMail : mails.createMissingRecordMail;
    for (const admin of await store.listAdmins(tx, orgId))
      await platform.mail.send(tx, createMail(publicUrl, admin, facts));
  });
}

export const readDomain = (email: string) => email.slice(email.lastIndexOf("@") + 1).toLowerCase();
