/** Browsers have passkeys only with TLS or on localhost, and never on IP addresses. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential !== "undefined" &&
  "parseRequestOptionsFromJSON" in PublicKeyCredential &&
  !/^[\d.]+$|:/.test(window.location.hostname);

/** Asks the browser for a passkey. `begun` is the reply of `POST /api/auth/passkey/options`. */
export async function getPasskey(begun: unknown): Promise<unknown> {
  const { options } = begun as { options: PublicKeyCredentialRequestOptionsJSON };
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  return (credential as PublicKeyCredential).toJSON();
}

/** Makes a passkey. `begun` is the reply of `POST /v1/me/passkeys/options`. */
export async function createPasskey(begun: unknown): Promise<unknown> {
  const { options } = begun as { options: PublicKeyCredentialCreationOptionsJSON };
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey });
  return (credential as PublicKeyCredential).toJSON();
}
