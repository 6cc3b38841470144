import { entry } from "../texts/entry.ts";
import { type Api, RefusedError } from "./api.ts";
import { getPasskey } from "./passkeys.ts";

const texts = entry.signIn;

/** After the first step: done, or the token for the second one. */
export type FirstStep = { secondFactorToken: string | undefined };

const explain = (message: string) => (error: unknown) => {
  if (error instanceof RefusedError && error.status === 401) throw new Error(message);
  throw error;
};

export async function signInWithPassword(
  api: Api,
  { email, password }: { email: string; password: string },
): Promise<FirstStep> {
  const body = { email: email.trim(), password };
  const reply = await api
    .request("POST /api/auth/sign-in/email", { body }, { asks: false })
    .catch(explain(texts.wrong));
  return { secondFactorToken: "twoFactorToken" in reply ? reply.twoFactorToken : undefined };
}

export async function signInWithCode(api: Api, twoFactorToken: string, code: string): Promise<void> {
  const body = { twoFactorToken, code };
  await api
    .request("POST /api/auth/sign-in/two-factor", { body }, { asks: false })
    .catch(explain(texts.second.wrong));
}

/** Signs in with a passkey alone, or as the second step. */
export async function signInWithPasskey(api: Api, twoFactorToken?: string): Promise<void> {
  const step = twoFactorToken === undefined ? {} : { twoFactorToken };
  const begun = await api.request("POST /api/auth/passkey/options", { body: step }, { asks: false });
  const credential = await getPasskey(begun).catch(() => {
    throw new Error(texts.passkeyUnused);
  });
  await api
    .request("POST /api/auth/sign-in/passkey", { body: { ...step, credential } as never }, { asks: false })
    .catch(explain(texts.passkeyUnknown));
}

/** Where people with this address sign in. Undefined: with a password. The answer depends on the domain only. */
export async function findSsoStart(api: Api, email: string): Promise<string | undefined> {
  const address = email.trim();
  if (!/.@./.test(address)) return undefined;
  const reply = await api.request("GET /v1/sso/resolve", { query: { email: address } }, { asks: false });
  return reply.method === "sso" && reply.startUrl ? new URL(reply.startUrl).pathname : undefined;
}

interface SsoOptions {
  email: string;
  returnTo: string;
  /** The provider must ask the person again. */
  reauthenticate?: boolean;
}

export function createSsoAddress(start: string, { email, returnTo, reauthenticate }: SsoOptions): string {
  const query = new URLSearchParams({ login_hint: email.trim(), returnTo });
  if (reauthenticate) query.set("reauthenticate", "true");
  return `${start}?${query}`;
}
