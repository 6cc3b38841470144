import type { RequirementCode, WarningCode } from "./codes.ts";

export type DiscoveryStatus = "ready" | "manual_action_required" | "unsupported" | "unreachable";

export type RegistrationMethod = "client_metadata" | "dynamic" | "pre_registered";

export interface AuthorizationServer {
  issuer: string;
  authorizationEndpoint?: string;
  tokenEndpoint?: string;
  registrationEndpoint?: string;
  clientIdMetadataDocumentSupported: boolean;
  scopesSupported?: string[];
  grantTypesSupported?: string[];
  codeChallengeMethodsSupported?: string[];
  tokenEndpointAuthMethodsSupported?: string[];
}

export interface AuthenticationSection {
  kind: "none" | "oauth" | "manual_bearer" | "unknown";
  resource?: string;
  protectedResourceMetadataUrl?: string;
  authorizationServers: AuthorizationServer[];
  requiredScopes: string[];
  recommendedScopes: string[];
  refreshSupport: "supported" | "not_advertised" | "unknown";
  availableRegistrationMethods: RegistrationMethod[];
  recommendedRegistrationMethod: RegistrationMethod;
}

/** How a client authenticates, and the status that follows from it. */
export interface Authentication {
  section: AuthenticationSection;
  status: DiscoveryStatus;
}

/** Returns a section that states only the kind of authentication. */
export function createSection(kind: AuthenticationSection["kind"]): AuthenticationSection {
  return {
    kind,
    authorizationServers: [],
    requiredScopes: [],
    recommendedScopes: [],
    refreshSupport: "unknown",
    availableRegistrationMethods: ["pre_registered"],
    recommendedRegistrationMethod: "pre_registered",
  };
}

/** A hint that the server leaves out stays out: absent does not mean false. */
export interface Tool {
  name: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  openWorldHint?: boolean;
}

export interface ToolsSection {
  visibility: "available_without_auth" | "requires_auth" | "unavailable";
  count?: number;
  items?: Tool[];
}

/** An action that a person must take before the server can be connected. */
export interface Requirement {
  code: RequirementCode;
  label: string;
  reason: string;
  required: boolean;
}

export interface Warning {
  code: WarningCode;
  message: string;
}

/** The verdict on one server. The HTTP contract of the product describes the same shape. */
export interface DiscoveryResult {
  status: DiscoveryStatus;
  server: {
    url: string;
    protocolVersion?: string;
    initialize: "succeeded" | "authentication_required" | "failed";
  };
  authentication: AuthenticationSection;
  tools: ToolsSection;
  manualRequirements: Requirement[];
  warnings: Warning[];
}

/** One request of a discovery and the conclusion drawn from its answer. */
export interface Evidence {
  step: string;
  method: string;
  url: string;
  status?: number;
  failure?: string;
  startedMs: number;
  ms: number;
  learned: string;
  rule: string;
  decided: string[];
}

/** A change of one request: it was sent, its answer came or failed, or the answer was interpreted. */
export interface DiscoveryProgress {
  /** The position of the request in the evidence. */
  index: number;
  phase: "sent" | "answered" | "interpreted";
  evidence: Evidence;
}
