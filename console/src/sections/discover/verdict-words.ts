import { discover as texts } from "../../texts/discover.ts";
import type { AuthorizationServer, Requirement, Result, Step } from "./types.ts";

/** The host of a URL, for sentences. A text that is no URL stays as it is. */
export const findHost = (url: string): string => URL.parse(url)?.host || url;

export interface VerdictWords {
  title: string;
  text: string;
}

/** Says the verdict as a person would. */
export function describeVerdict(url: string, result: Result): VerdictWords {
  const { verdict } = texts;
  const { authentication, manualRequirements, tools, warnings } = result;
  const why = warnings.map(({ message }) => message).join(" ");
  switch (result.status) {
    case "ready": {
      const [server] = authentication.authorizationServers;
      if (authentication.kind !== "oauth" || !server)
        return { title: verdict.readyOpen, text: verdict.readyOpenText(tools.count) };
      const host = findHost(server.issuer);
      return { title: verdict.readyOauth(host), text: verdict.readyOauthText(host) };
    }
    case "manual_action_required": {
      const codes = manualRequirements.map(({ code }) => code);
      const isSelection = codes.length === 1 && codes[0] === "authorization_server_selection";
      return {
        title: verdict.needs(codes),
        text: isSelection
          ? verdict.selectionText(authentication.authorizationServers.length)
          : verdict.needsText,
      };
    }
    case "unsupported":
      return { title: verdict.unsupported, text: why };
    default: {
      const isRefusedHere = manualRequirements.some(({ code }) => code === "network_trust");
      const title = isRefusedHere ? verdict.notAllowed : verdict.unreachable;
      return { title: title(findHost(url)), text: why };
    }
  }
}

/** The facts beside the verdict, most important first. */
export function listFacts({ authentication, tools, server }: Result): [name: string, value: string][] {
  const { facts } = texts;
  const shownTools = {
    available_without_auth: facts.toolsOpen(tools.count),
    requires_auth: facts.toolsAfter,
    unavailable: facts.toolsNone,
  }[tools.visibility];
  const isOauth = authentication.kind === "oauth";
  return [
    [facts.signIn, facts.kinds[authentication.kind]],
    ...(isOauth
      ? ([
          [facts.scopes, authentication.requiredScopes.join(" ") || facts.noScopes],
          [facts.refresh, facts.refreshKinds[authentication.refreshSupport]],
        ] as [string, string][])
      : []),
    ...(server.protocolVersion
      ? ([[facts.protocol, facts.protocolName(server.protocolVersion)]] as [string, string][])
      : []),
    [facts.tools, shownTools],
    ...(isOauth ? [] : ([[facts.handshake, facts.handshakes[server.initialize]]] as [string, string][])),
  ];
}

/** How a client gets to be known at an authorization server, best way first. */
export function findRegistration(
  server: AuthorizationServer,
): "client_metadata" | "dynamic" | "pre_registered" {
  if (server.clientIdMetadataDocumentSupported) return "client_metadata";
  return server.registrationEndpoint === undefined ? "pre_registered" : "dynamic";
}

/** Whether a client without a secret is enough. RFC 8414: without a list, `client_secret_basic` is meant. */
export const acceptsPublicClient = (server: AuthorizationServer): boolean =>
  (server.tokenEndpointAuthMethodsSupported ?? []).includes("none");

/** The id under which a provider is saved. The redirect URI that the verdict names contains the same id. */
export function suggestProviderId(issuer: string): string {
  const host = URL.parse(issuer)?.hostname ?? "custom";
  const id = host.replace(/^www\./, "").replace(/[^a-z0-9]+/g, "-");
  return id.slice(0, 40).replace(/^-+|-+$/g, "") || "custom";
}

/** The address that a requirement tells to use instead, if it names one. */
export function findCorrectedUrl({ code, reason }: Requirement): string | undefined {
  if (code !== "https_required" && code !== "server_url_correction") return undefined;
  const found = /(?:Save|Use|with|itself) (https?:\/\/[^\s,;]+?)[.,;]?(?=\s|$)/.exec(reason)?.[1];
  return found && !isRedacted(found) ? found : undefined;
}

/** Whether a part of a kept address was replaced, because it looked like a credential. */
export const isRedacted = (url: string): boolean => /\[redacted\]|%5Bredacted%5D/i.test(url);

/** What is known while the discovery is under way. */
export function describeProgress(steps: readonly Step[]): string {
  const { asking } = texts;
  const wantsSignIn = steps.some(({ step, status }) => step.startsWith("probe") && status === 401);
  const isOpen = steps.some(
    ({ step, status }) => step === "list_tools" || (step === "initialized" && status),
  );
  return `${wantsSignIn ? asking.signIn : isOpen ? asking.open : asking.begun} ${asking.promise}`;
}
