import type { VerdictDrift } from "../contract.ts";
import type { Discovery } from "../discovery/index.ts";
import { isSameIssuer } from "../issuers.ts";

/** The parts of a verdict that must not change without a person, as texts. */
function describe(
  { server, authentication }: Discovery,
  issuer: string | null,
): Record<string, string | null> {
  const used = authentication.authorizationServers.find((one) => isSameIssuer(one.issuer, issuer));
  const sorted = (values: readonly string[] | undefined) =>
    values === undefined || values.length === 0 ? null : [...new Set(values)].sort().join(" ");
  return {
    authentication: authentication.kind,
    issuer: sorted(authentication.authorizationServers.map((one) => one.issuer)),
    // The one that members sign in at. When it is gone, what the server accepts instead.
    authorizationServer:
      used || issuer === null ? issuer : sorted(authentication.authorizationServers.map((one) => one.issuer)),
    resource: authentication.resource ?? null,
    requiredScopes: sorted(authentication.requiredScopes),
    recommendedScopes: sorted(authentication.recommendedScopes),
    authorizationEndpoint: used?.authorizationEndpoint ?? null,
    tokenEndpoint: used?.tokenEndpoint ?? null,
    registrationEndpoint: used?.registrationEndpoint ?? null,
    registrationMethods: sorted(authentication.availableRegistrationMethods),
    protocolVersion: server.protocolVersion ?? null,
  };
}

/** Lists what changed between the accepted verdict and a new one. `issuer` is the server that the connection uses. */
export function compareVerdicts(
  accepted: Discovery,
  latest: Discovery,
  { issuer, earlier, now }: { issuer: string | null; earlier: readonly VerdictDrift[]; now: number },
): VerdictDrift[] {
  const [before, after] = [describe(accepted, issuer), describe(latest, issuer)];
  return Object.keys(before).flatMap((field): VerdictDrift[] => {
    const [was, is] = [before[field] ?? null, after[field] ?? null];
    if (was === is) return [];
    const seen = earlier.find((one) => one.field === field && one.after === is);
    return [{ field, before: was, after: is, seenAt: seen?.seenAt ?? now }];
  });
}
