import type { Platform } from "../../../platform/context.ts";
import { recordAsSystem } from "../../audit/index.ts";
import {
  findDueWarning,
  findProviderCertificate,
  listSamlConnectors,
  type SamlRow,
} from "../connectors/index.ts";
import { listAdmins } from "../domains/index.ts";
import { recordOutcome } from "../events/index.ts";
import { describeCertificate } from "../saml-protocol/index.ts";
import { createCertificateMail } from "./mails.ts";
import * as store from "./store.ts";

const connectorsPerPage = 100;

/** Tells owners and admins about certificates that end soon, once for each certificate and warning. */
export async function warnAboutCertificates(platform: Platform): Promise<void> {
  let after = "";
  for (;;) {
    const page = await listSamlConnectors(platform.db, after, connectorsPerPage);
    for (const connector of page) await warn(platform, connector);
    const last = page.at(-1);
    if (!last || page.length < connectorsPerPage) return;
    after = last.id;
  }
}

async function warn(platform: Platform, connector: SamlRow): Promise<void> {
  const { orgId, id, name, settings } = connector;
  const now = Date.now();
  const certificates = [
    { owner: "provider", ...findProviderCertificate(settings) },
    { owner: "own", ...describeCertificate(settings.certificate) },
  ] as const;
  for (const { owner, fingerprint, notAfter } of certificates) {
    const days = findDueWarning({ notAfter }, now);
    if (days === undefined) continue;
    await platform.db.transaction(async (tx) => {
      if (!(await store.insertCertificateNotice(tx, orgId, id, fingerprint, days))) return;
      const isOver = notAfter <= now;
      await recordOutcome(null, tx, orgId, id, {
        purpose: "metadata",
        outcome: "succeeded",
        code: isOver ? "certificate_ended" : "certificate_ends_soon",
        message: `The certificate ${owner === "own" ? "of this service" : "of the provider"} ${isOver ? "has ended" : "ends soon"}. Sign-ins continue to work.`,
      });
      await recordAsSystem(tx, orgId, {
        action: "sso.certificate_warning",
        target: { type: "sso_connector", id },
        after: { owner, fingerprint, notAfter, days },
      });
      const { publicUrl } = platform.config;
      for (const admin of await listAdmins(tx, orgId))
        await platform.mail.send(
          tx,
          createCertificateMail(publicUrl, admin, {
            id,
            connector: name,
            owner,
            fingerprint,
            notAfter,
            isOver,
          }),
        );
    });
  }
}
