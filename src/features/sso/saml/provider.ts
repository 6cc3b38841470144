import { EgressError } from "@signalbox/discovery/egress";
import type { Platform } from "../../../platform/context.ts";
import { type IdentityProvider, readMetadata, SamlError } from "../saml-protocol/index.ts";

/** Why the metadata of a provider cannot be used. */
export class MetadataFailure extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export function parseMetadata(xml: string, entityId: string | undefined): IdentityProvider {
  try {
    const {
      validUntil: _,
      nameIdFormats: __,
      ...provider
    } = readMetadata(xml, {
      now: Date.now(),
      ...(entityId === undefined ? {} : { entityId }),
    });
    return provider;
  } catch (error) {
    if (!(error instanceof SamlError)) throw error;
    throw new MetadataFailure(error.code, error.message);
  }
}

/** Reads the metadata at an address that an admin chose. */
export async function fetchMetadata(
  { egress }: Pick<Platform, "egress">,
  orgId: string,
  url: string,
  entityId: string | undefined,
): Promise<IdentityProvider> {
  let xml: string;
  try {
    const reply = await egress.forOrganization(orgId).request(url, {
      headers: { accept: "application/samlmetadata+xml, application/xml;q=0.9, text/xml;q=0.8" },
    });
    if (reply.status !== 200)
      throw new MetadataFailure(
        "metadata_unreachable",
        `The address of the metadata answered with the status ${reply.status}. Check the address.`,
      );
    xml = reply.text();
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new MetadataFailure("metadata_unreachable", error.message);
  }
  return parseMetadata(xml, entityId);
}
