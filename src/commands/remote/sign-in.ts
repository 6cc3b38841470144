import { type Client, createClient, RefusedError } from "@signalbox/client";
import { NotSignedIn } from "@signalbox/command-line";
import type { Prompt } from "./prompt.ts";
import { type Session, userAgent } from "./session.ts";

/** Asks for the password, and the code where a second factor is on. Returns the token of a session. */
export async function signIn(url: string, email: string, prompt: Prompt): Promise<string> {
  const visitor = createClient({ url, userAgent });
  const password = await prompt.ask(`Password of ${email}: `, { hidden: true });
  const first = await explainRefusal(visitor.auth.signIn({ email, password }), {
    401: "The e-mail address or the password is wrong. Type them again, or reset the password.",
  });
  if ("token" in first) return first.token;
  const code = await prompt.ask("Code from the authenticator app: ");
  const second = await explainRefusal(
    visitor.auth.signInTwoFactor({ twoFactorToken: first.twoFactorToken, code }),
    { 401: "The code is wrong or was used before. Run the command again with the next code." },
  );
  return second.token;
}

/** A refused sign-in is a bare 401. This names what the person may have mistyped. */
async function explainRefusal<T>(work: Promise<T>, sentences: Record<number, string>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const sentence = error instanceof RefusedError ? sentences[error.status] : undefined;
    throw sentence ? new NotSignedIn(sentence) : error;
  }
}

/**
 * Does work that the server accepts only from a session of the last minutes, not from an API key. The session is one of
 * the person whose key this is, in the same organization, and ends with the work.
 */
export async function withFreshSession<T>(
  { client, login }: Pick<Session, "client" | "login">,
  prompt: Prompt,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { user, activeOrganizationId } = await client.me();
  const sessionToken = await signIn(login.url, user.email, prompt);
  const signedIn = createClient({ url: login.url, credential: { sessionToken }, userAgent });
  try {
    if (activeOrganizationId !== null && (await signedIn.me()).activeOrganizationId !== activeOrganizationId)
      await signedIn.auth.switchOrganization(activeOrganizationId);
    return await work(signedIn);
  } finally {
    await signedIn.auth.signOut().catch(() => {});
  }
}
