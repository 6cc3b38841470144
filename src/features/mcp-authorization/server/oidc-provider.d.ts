/** As much of it as the authorization server and the fixtures of tests use; the package brings no types. */
declare module "oidc-provider" {
  import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

  interface Interaction {
    prompt: { name: string };
    params: Record<string, unknown>;
    session?: { accountId?: string };
    exp: number;
    returnTo: string;
    result?: Record<string, unknown>;
    persist(): Promise<unknown>;
  }

  interface Grant {
    jti: string;
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }

  interface Client {
    grantTypeAllowed(type: string): boolean;
  }

  /** The context of a request, of the Koa application that the package is. */
  interface RequestContext {
    body: unknown;
    oidc: { result?: { consent?: { grantId?: string } }; account?: { accountId: string } };
  }

  /** A model whose instances have random ids, which are the tokens themselves. */
  interface TokenModel {
    prototype: { generateTokenId(this: { format?: string }): string };
    find(
      token: string,
    ): Promise<
      { accountId: string; scope?: string; aud?: string | string[]; isExpired: boolean } | undefined
    >;
  }

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    proxy: boolean;
    callback(): RequestListener;
    on(event: "server_error", listener: (ctx: RequestContext, error: unknown) => void): this;
    on(event: "error", listener: (error: unknown) => void): this;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Record<string, unknown>,
      options?: { mergeWithLastSubmission?: boolean },
    ): Promise<void>;
    Grant: new (of: {
      jti?: string;
      accountId: string | undefined;
      clientId: string;
    }) => Grant;
    Interaction: { find(id: string): Promise<Interaction | undefined> };
    AccessToken: TokenModel;
    RefreshToken: TokenModel;
  }

  export namespace interactionPolicy {
    class Check {
      constructor(
        reason: string,
        description: string,
        error: string,
        check: (ctx: RequestContext) => boolean,
      );
    }
    class Prompt {
      constructor(options: { name: string; requestable: boolean }, ...checks: Check[]);
    }
  }

  export namespace errors {
    class InvalidGrant extends Error {
      constructor(detail: string);
    }
    class InvalidTarget extends Error {
      constructor(detail?: string);
    }
    class AccessDenied extends Error {}
  }
}
