import { z } from "zod";

const CREDENTIAL_PARAMETERS = new Set([
  "access_token",
  "api_key",
  "client_secret",
  "token",
  "refresh_token",
  "id_token",
  "code_verifier",
  "password",
]);

export const DiscoveryInput = z
  .object({
    url: z
      .string()
      .max(2048)
      .superRefine((text, issue) => {
        const problem = problemWithUrl(text);
        if (problem) issue.addIssue({ code: "custom", message: problem });
      })
      .meta({
        format: "uri",
        description: "Where the MCP server answers. http or https, without credentials.",
      }),
  })
  .meta({ id: "ExternalMcpRequirementsDiscoveryInput" });

/** The reason why a text cannot be the address of an MCP server, or undefined when it can. */
export function problemWithUrl(text: string): string | undefined {
  // WHATWG URL quietly repairs what RFC 3986 forbids; a repaired address may not be the one that was meant.
  if (!/^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/.test(text)) {
    return "Not a URI: spaces, control characters and characters outside ASCII must be percent-encoded.";
  }
  if (!/^https?:\/\//i.test(text)) return "The URL must begin with http:// or https://.";
  if (!URL.canParse(text)) return "Not a URI: the host or the port cannot be read.";
  const authority = /^https?:\/\/([^/?#]*)/i.exec(text)?.[1] ?? "";
  if (authority.includes("@")) return "The URL must not contain a user name or password.";
  if (text.includes("#")) return "The URL must not contain a fragment.";
  for (const name of new URL(text).searchParams.keys()) {
    if (CREDENTIAL_PARAMETERS.has(name.trim().toLowerCase())) {
      return `The query parameter "${name.trim().toLowerCase()}" carries a credential. Discovery needs none: leave it out.`;
    }
  }
  return undefined;
}

const RegistrationMethod = z.enum(["client_metadata", "dynamic", "pre_registered"]);

const AuthorizationServer = z.object({
  issuer: z.string(),
  authorizationEndpoint: z.string().optional(),
  tokenEndpoint: z.string().optional(),
  registrationEndpoint: z.string().optional(),
  clientIdMetadataDocumentSupported: z.boolean(),
  scopesSupported: z.array(z.string()).optional(),
  grantTypesSupported: z.array(z.string()).optional(),
  codeChallengeMethodsSupported: z.array(z.string()).optional(),
  tokenEndpointAuthMethodsSupported: z.array(z.string()).optional(),
});

const Tool = z.object({
  name: z.string(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});

const EvidenceItem = z
  .object({
    step: z.string().meta({ description: "What the request was for." }),
    method: z.string(),
    url: z.string().meta({ description: "What looks like a credential is replaced by [redacted]." }),
    status: z.int().optional(),
    failure: z.string().optional().meta({ description: "Why no usable answer came, when none did." }),
    startedMs: z.number().meta({ description: "Milliseconds after the discovery began." }),
    ms: z.number().meta({ description: "How long the exchange took." }),
    learned: z.string(),
    rule: z.string().meta({ description: "The rule of the RFC or MCP revision that decided." }),
    decided: z
      .array(z.string())
      .meta({ description: "The fields of the result that this exchange decided." }),
  })
  .meta({ id: "ExternalMcpRequirementsDiscoveryEvidence" });

export const Discovery = z
  .object({
    status: z.enum(["ready", "manual_action_required", "unsupported", "unreachable"]),
    server: z.object({
      url: z.string(),
      protocolVersion: z.string().optional(),
      initialize: z.enum(["succeeded", "authentication_required", "failed"]),
    }),
    authentication: z.object({
      kind: z.enum(["none", "oauth", "manual_bearer", "unknown"]),
      resource: z.string().optional(),
      protectedResourceMetadataUrl: z.string().optional(),
      authorizationServers: z.array(AuthorizationServer),
      requiredScopes: z.array(z.string()),
      recommendedScopes: z.array(z.string()),
      refreshSupport: z.enum(["supported", "not_advertised", "unknown"]),
      availableRegistrationMethods: z.array(RegistrationMethod),
      recommendedRegistrationMethod: RegistrationMethod,
    }),
    tools: z.object({
      visibility: z.enum(["available_without_auth", "requires_auth", "unavailable"]),
      count: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
      items: z.array(Tool).optional(),
    }),
    manualRequirements: z.array(
      z.object({ code: z.string(), label: z.string(), reason: z.string(), required: z.boolean() }),
    ),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
    evidence: z.array(EvidenceItem).optional().meta({ description: "Only with ?include=evidence." }),
  })
  .meta({ id: "ExternalMcpRequirementsDiscovery" });

export type Discovery = z.infer<typeof Discovery>;
export type Evidence = z.infer<typeof EvidenceItem>;
export type AuthorizationServer = z.infer<typeof AuthorizationServer>;
export type Tool = z.infer<typeof Tool>;
