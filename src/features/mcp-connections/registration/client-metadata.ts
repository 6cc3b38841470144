import { isLoopbackHost } from "@signalbox/discovery/egress";
import type { Config } from "../../../platform/config.ts";
import type { ClientMetadata } from "./contract.ts";

type Instance = Pick<Config, "publicUrl"> & { publicUrl: string };

export const buildClientId = ({ publicUrl }: Instance): string => `${publicUrl}/oauth/client-metadata.json`;

export const buildCallbackUrl = ({ publicUrl }: Instance): string =>
  `${publicUrl}/v1/mcp-connections/connect/callback`;

export const clientName = "Signalbox";

/** The document is the same for all organizations, and changes only with PUBLIC_URL. */
export const describeClient = (instance: Instance): ClientMetadata => ({
  client_id: buildClientId(instance),
  client_name: clientName,
  client_uri: instance.publicUrl,
  redirect_uris: [buildCallbackUrl(instance)],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
  application_type: "web",
  software_id: "signalbox",
});

/**
 * Why an authorization server could not read the document, or undefined. The client id is its URL, which must be https.
 * A server on the same machine may read it from a loopback address.
 */
export function findMetadataObstacle({ publicUrl }: Instance, issuer: string): string | undefined {
  const own = new URL(publicUrl);
  const isLoopback = isLoopbackHost(own.hostname);
  if (own.protocol === "https:" && !isLoopback) return undefined;
  if (isLoopback && isLoopbackHost(URL.parse(issuer)?.hostname ?? "")) return undefined;
  return `A client metadata document must be at an https address that ${issuer} can read, and this instance calls itself ${own.origin}. Set PUBLIC_URL to its public https address, or choose another way.`;
}
