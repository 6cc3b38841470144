import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";

type Stored<T> = T | undefined;

/** What a program keeps for the official clients: what it registered, its tokens, and where it sent the browser. */
export function createClientMemory(redirectUrl: string, clientMetadataUrl?: string) {
  const memory = {
    information: undefined as Stored<StoredOAuthClientInformation>,
    tokens: undefined as Stored<StoredOAuthTokens>,
    verifier: "",
    sentTo: undefined as Stored<URL>,
    discovered: undefined as Stored<OAuthDiscoveryState>,
  };
  const provider = {
    redirectUrl,
    ...(clientMetadataUrl ? { clientMetadataUrl } : {}),
    clientMetadata: { client_name: "Official client", redirect_uris: [redirectUrl] },
    state: () => "state-of-the-program",
    clientInformation: () => memory.information,
    saveClientInformation: (given: StoredOAuthClientInformation) => {
      memory.information = given;
    },
    tokens: () => memory.tokens,
    saveTokens: (given: StoredOAuthTokens) => {
      memory.tokens = given;
    },
    redirectToAuthorization: (url: URL) => {
      memory.sentTo = url;
    },
    saveCodeVerifier: (verifier: string) => {
      memory.verifier = verifier;
    },
    codeVerifier: () => memory.verifier,
    saveDiscoveryState: (given: OAuthDiscoveryState) => {
      memory.discovered = given;
    },
    discoveryState: () => memory.discovered,
    invalidateCredentials: () => {
      memory.tokens = undefined;
    },
  };
  return { memory, provider };
}
