import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
} from "@modelcontextprotocol/server";
import type { MemberCtx } from "../../platform/context.ts";
import { insufficientScope } from "../../platform/errors.ts";
import { type Listing, type Scope, scopes } from "./contract.ts";
import type { Progress, Session } from "./sessions/index.ts";

/** One HTTP request to the endpoint: who calls, and what the client said about itself. */
export interface Exchange {
  ctx: MemberCtx;
  scopes: ReadonlySet<Scope>;
  /** What the caller asked to be listed. Undefined: the number of tools decides. */
  listing: Listing | undefined;
  /** Clients of the 2025 era get a session, so that later requests can refer to earlier ones. */
  session: Session | undefined;
}

/** What happens during one call of a tool. */
export interface CallOptions {
  signal: AbortSignal;
  onProgress(progress: Progress): void;
  /** Asks the person at the client. Undefined when the client does not offer it. */
  onElicit: ((params: ElicitRequestParams, signal: AbortSignal) => Promise<ElicitResult>) | undefined;
  /** Asks the model of the client. Undefined when the client does not offer it. */
  onSample:
    | ((params: CreateMessageRequestParams, signal: AbortSignal) => Promise<CreateMessageResult>)
    | undefined;
  /** The name of the client program, as it calls itself. */
  client: string | undefined;
}

/** A run credential has no scopes. What it may do is limited by its automation. */
export const readScopes = ({ caller }: MemberCtx): ReadonlySet<Scope> =>
  new Set(caller.credential === "run" ? scopes : scopes.filter((scope) => caller.scopes?.includes(scope)));

const scopeFor = (isReadOnly: boolean): Scope => (isReadOnly ? "mcp:read" : "mcp:write");

export const hasScope = ({ scopes }: Pick<Exchange, "scopes">, isReadOnly: boolean): boolean =>
  scopes.has(scopeFor(isReadOnly));

/** Refuses a call that the scopes of the credential do not cover. */
export function checkScope(exchange: Pick<Exchange, "scopes">, isReadOnly: boolean): void {
  if (!hasScope(exchange, isReadOnly)) throw insufficientScope([scopeFor(isReadOnly)]);
}
