import { dayMs } from "../../../platform/days.ts";
import { type CertificateFacts, describeCertificate } from "../saml-protocol/index.ts";
import type { SamlConnectorSettings } from "./settings.ts";

/** Owners and admins get a mail this many days before a certificate ends. */
const warningDays = [30, 7] as const;

/** The certificate of the provider that ends last. A provider that has published its next certificate needs no warning. */
export const findProviderCertificate = ({ provider }: SamlConnectorSettings): CertificateFacts =>
  provider.certificates
    .map(describeCertificate)
    .reduce((last, each) => (each.notAfter > last.notAfter ? each : last));

/** The warning that is due: the number of days before the end. Undefined when the end is further away. */
export const findDueWarning = (
  { notAfter }: Pick<CertificateFacts, "notAfter">,
  now: number,
): number | undefined => warningDays.findLast((days) => notAfter - now <= days * dayMs);

export function describeCertificateHealth(settings: SamlConnectorSettings, now: number) {
  const certificate = findProviderCertificate(settings);
  const isDue = findDueWarning(certificate, now) !== undefined;
  const isOver = certificate.notAfter <= now;
  return {
    certificateEndsAt: certificate.notAfter,
    certificateState: isOver ? ("ended" as const) : isDue ? ("ends_soon" as const) : ("valid" as const),
  };
}
