import { AsyncLocalStorage } from "node:async_hooks";
import type { Ctx, Platform } from "../../../platform/context.ts";
import { newId } from "../../../platform/ids.ts";
import { deriveToken, newToken } from "../../../platform/secrets.ts";
import { defineState } from "../../../platform/state.ts";
import { createMembership, findMembership } from "../../credentials/index.ts";
import { createClientAdapter } from "../clients/index.ts";
import { endGrantByToken } from "../ending.ts";
import { refreshTokenPrefix } from "../prefixes.ts";
import { type Account, formatAccount, parseAccount } from "./account.ts";
import { exchange, type ServerRequest } from "./exchange.ts";
import type { Provider } from "./provider.ts";
import { type Adapter, createRecords, nothingStored } from "./records.ts";
import { filterScopes, findResource, type Scope } from "./rules.ts";
import type { RecordKind } from "./store.ts";

/** One request, and the fault that the library met and answered by itself. */
interface Answering {
  ctx: Ctx;
  fault?: unknown;
  /** True when the request ended a grant. */
  hasEnded: boolean;
  /** The refresh token that the client sent. */
  refreshToken?: string;
}

/** A sign-in in progress. */
export interface Interaction {
  clientId: string;
  redirectUri: string;
  /** The scopes that the client asks for. */
  scopes: Scope[];
}

interface Answered {
  reply: Response;
  /** True when the request ended a grant, for example because a refresh token was used twice. */
  hasEnded: boolean;
}

export interface AuthorizationServer {
  /** `ctx.db` may be a transaction: then everything that the request changes commits with it. */
  answer(ctx: Ctx, request: ServerRequest): Promise<Answered>;
  findInteraction(ctx: Ctx, id: string): Promise<Interaction | undefined>;
  /** Stores what the person decided, and returns the path that continues. Undefined when it is too late. */
  finishInteraction(ctx: Ctx, id: string, decision: Decision): Promise<string | undefined>;
}

export type Decision =
  | { allowed: false }
  | { allowed: true; grantId: string; account: Account; scopes: readonly Scope[] };

const kinds: Readonly<Record<string, RecordKind>> = {
  Interaction: "interaction",
  Grant: "grant",
  AuthorizationCode: "code",
  AccessToken: "access_token",
  RefreshToken: "refresh_token",
};

/** The library is loaded with the first request, so that the start of the service does not wait for it. */
export const authorizationServer = defineState({
  name: "MCP authorization server",
  create: (platform): AuthorizationServer => createServer(platform),
});

function createServer({ config: { publicUrl }, keyring }: Platform): AuthorizationServer {
  const answering = new AsyncLocalStorage<Answering>();
  const resource = findResource(publicUrl);
  let loading: Promise<Provider> | undefined;

  const current = (): Ctx => {
    const found = answering.getStore();
    if (!found) throw new Error("The authorization server was called outside of a request.");
    return found.ctx;
  };

  const renewalKey = keyring.derive("mcp authorization renewal");

  function onRenewal(token: string): void {
    const store = answering.getStore();
    if (store) store.refreshToken = token;
  }

  /**
   * A refresh token has one successor, also when it is used twice within the overlap. With two, somebody who copied it
   * could go on beside the client, and neither would ever use a token of the other.
   */
  function newRefreshToken(): string {
    const used = answering.getStore()?.refreshToken;
    return used === undefined
      ? newToken(refreshTokenPrefix)
      : deriveToken(refreshTokenPrefix, renewalKey, used);
  }

  async function endGrant(ctx: Ctx, id: string): Promise<void> {
    const store = answering.getStore();
    if (store) store.hasEnded = true;
    await endGrantByToken(ctx, id);
  }

  async function load(): Promise<Provider> {
    const { createProvider, refuseEndedGrant } = await import("./provider.ts");
    const adapter = (model: string): Adapter => {
      if (model === "Client") return createClientAdapter(() => current().db);
      const kind = kinds[model];
      if (!kind) return nothingStored;
      return createRecords(kind, { current, refuseEnded: refuseEndedGrant, onRenewal, endGrant });
    };
    return createProvider({
      issuer: publicUrl,
      resource,
      keyring,
      adapter,
      newClientId: () => newId("mcr"),
      newRefreshToken,
      async isActive(accountId) {
        const account = parseAccount(accountId);
        const found = account && (await findMembership(current().db, account.orgId, account.memberId));
        return found !== undefined && createMembership(found).permissions.has("mcp_tokens:create");
      },
      onFault(error) {
        const store = answering.getStore();
        if (store) store.fault ??= error;
      },
    });
  }

  async function run<T>(ctx: Ctx, work: (provider: Provider) => Promise<T>): Promise<T> {
    loading ??= load();
    const provider = await loading;
    const store: Answering = { ctx, hasEnded: false };
    const result = await answering.run(store, () => work(provider));
    if (store.fault !== undefined) throw store.fault;
    return result;
  }

  const { host, protocol } = new URL(publicUrl);
  const address = { host, "x-forwarded-host": host, "x-forwarded-proto": protocol.slice(0, -1) };

  return {
    answer: (ctx, request) =>
      run(ctx, async (provider) => ({
        reply: await exchange(provider.callback(), {
          ...request,
          headers: { ...request.headers, ...address },
        }),
        hasEnded: answering.getStore()?.hasEnded ?? false,
      })),
    findInteraction: (ctx, id) =>
      run(ctx, async (provider) => {
        const params = (await provider.Interaction.find(id))?.params;
        return (
          params && {
            clientId: String(params.client_id),
            redirectUri: String(params.redirect_uri),
            scopes: filterScopes(String(params.scope ?? "")),
          }
        );
      }),
    finishInteraction: (ctx, id, decision) =>
      run(ctx, async (provider) => {
        const interaction = await provider.Interaction.find(id);
        if (!interaction) return undefined;
        interaction.result = decision.allowed
          ? await saveGrant(provider, String(interaction.params.client_id), decision)
          : { error: "access_denied" };
        await interaction.persist();
        return new URL(interaction.returnTo).pathname;
      }),
  };

  async function saveGrant(
    provider: Provider,
    clientId: string,
    decision: Extract<Decision, { allowed: true }>,
  ) {
    const accountId = formatAccount(decision.account);
    const grant = new provider.Grant({ jti: decision.grantId, accountId, clientId });
    grant.addResourceScope(resource.url, decision.scopes.join(" "));
    await grant.save();
    return { login: { accountId, remember: false }, consent: { grantId: decision.grantId } };
  }
}
