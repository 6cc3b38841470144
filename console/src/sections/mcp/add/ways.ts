import { findRegistration } from "../../discover/verdict-words.ts";
import type { AuthorizationServer, Registration, Result } from "../types.ts";
import type { Choices, Draft } from "./draft.ts";

export interface Way {
  registration: Registration;
  isAvailable: boolean;
  /** What the server says about it. */
  note: string | undefined;
  missing: readonly string[];
}

const toWay = (registration: Registration): Way => ({
  registration,
  isAvailable: true,
  note: undefined,
  missing: [],
});

/** The authorization server that the ways depend on: the chosen one, or the only one. */
export function findServer(result: Result, chosen: string | undefined): AuthorizationServer | undefined {
  const servers = result.authentication.authorizationServers;
  return servers.length === 1 ? servers[0] : servers.find(({ issuer }) => issuer === chosen);
}

/** The ways to connect that a verdict leaves open. The server says it itself when it asked for a decision. */
export function listWays(result: Result, server: AuthorizationServer | undefined, choices?: Choices): Way[] {
  if (choices)
    return choices.registrations.map(({ registration, available, missing, note }) => ({
      registration,
      isAvailable: available,
      note,
      missing,
    }));
  const { kind } = result.authentication;
  if (kind === "oauth")
    return [
      ...(server?.clientIdMetadataDocumentSupported ? [toWay("client_metadata")] : []),
      ...(server?.registrationEndpoint === undefined ? [] : [toWay("dynamic")]),
      toWay("pre_registered"),
      toWay("bearer"),
    ];
  if (kind === "manual_bearer") return [toWay("bearer")];
  const isUnknown = result.status === "unreachable";
  return [toWay("none"), ...(isUnknown ? [toWay("pre_registered")] : []), toWay("bearer")];
}

/** The way to take when the person says nothing. Undefined: a person has to choose. */
export function recommendWay(
  result: Result,
  server: AuthorizationServer | undefined,
  choices?: Choices,
): Registration | undefined {
  if (choices) return choices.recommended ?? undefined;
  if (result.status === "unreachable") return undefined;
  const { kind } = result.authentication;
  if (kind === "oauth") return server && findRegistration(server);
  return kind === "manual_bearer" ? "bearer" : kind === "none" ? "none" : undefined;
}

/** A verdict is accepted for an hour. A little less, because time passes until the request arrives. */
const freshMs = 55 * 60_000;

export const isFresh = ({ discovery }: Pick<Draft, "discovery">, now: number): boolean =>
  discovery !== undefined && now - discovery.createdAt < freshMs;
