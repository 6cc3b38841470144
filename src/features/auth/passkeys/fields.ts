import type { FieldGuide } from "../../../platform/http/index.ts";

const challenge = "kq3nZ1xWm7Tt0c5bS2dVfY8gRjL4pHuAeN6iOzQyJ0w";
const credentialId = "7sQm2Vf0c5bS2dVfY8gRjL4pHuAkq3nZ1xWm7Tt0eN6";
const clientData = "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0";

/** Passkeys. Most names are those of WebAuthn, because browsers read and write these objects. */
export const fields: FieldGuide = {
  passkey: ["The passkey."],
  "postApiAuthReauthenticate.passkey": ["The result of `navigator.credentials.get()`."],
  "/v1/me/passkeys/{id}": ["The passkey.", "psk_01jz8q2d9xf4vvh0tbq8k3m5na"],
  "Passkey.id": ["Its id.", "psk_01jz8q2d9xf4vvh0tbq8k3m5na"],
  synced: ["Whether a password manager copies it to other devices.", true],
  "Passkey.name": ["The name that its owner gave it.", "Laptop"],
  passkeys: ["How many passkeys the account has.", 1],
  challenge: ["A random value that the authenticator signs.", challenge],
  rp: ["The site that the passkey belongs to."],
  "rp.id": ["The host name of the site.", "signalbox.example.com"],
  "rp.name": ["The name of the site.", "Signalbox"],
  rpId: ["The host name of the site.", "signalbox.example.com"],
  "PasskeyCreationOptions.user": ["The account that the passkey signs in to."],
  "PasskeyCreationOptions.user.id": ["The id of the account, in base64url.", "dXNyXzAxano4cTJk"],
  "PasskeyCreationOptions.user.name": ["The e-mail address of the account.", "ada@example.com"],
  displayName: ["The name of the person.", "Ada Lovelace"],
  pubKeyCredParams: ["The algorithms that are accepted."],
  alg: ["The number of the algorithm (COSE).", -7],
  timeout: ["How long the browser may take, in milliseconds.", 300_000],
  attestation: ["No proof of the authenticator's model is asked for.", "none"],
  excludeCredentials: ["Passkeys that the account has already."],
  "excludeCredentials.id": ["The id of the passkey, in base64url.", credentialId],
  "allowCredentials.id": ["The id of the passkey, in base64url.", credentialId],
  transports: ["How the browser reaches the authenticator.", ["internal"]],
  authenticatorSelection: ["What the authenticator must be able to do."],
  residentKey: ["The authenticator finds the account by itself.", "required"],
  requireResidentKey: ["The same, for older browsers.", true],
  userVerification: ["Whether a fingerprint, face or PIN is needed.", "preferred"],
  "credential.id": ["The id of the passkey, in base64url.", credentialId],
  "PasskeyRegistration.id": ["The id of the passkey, in base64url.", credentialId],
  "PasskeySignIn.id": ["The id of the passkey, in base64url.", credentialId],
  rawId: ["The same as `id`.", credentialId],
  clientExtensionResults: ["Results of extensions. They are not used.", {}],
  "PasskeyRegistration.response": ["What the authenticator made."],
  "PasskeySignIn.response": ["What the authenticator signed."],
  clientDataJSON: ["What the browser saw, in base64url: challenge and origin.", clientData],
  attestationObject: ["The new public key, in base64url.", "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVg"],
  authenticatorData: [
    "The state of the authenticator, in base64url.",
    "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ",
  ],
  signature: ["The signature, in base64url.", "MEUCIQDTGVxhrNQKAcmS7kq8lDJz3Qm1C2Fs0pXWqBwT"],
  userHandle: ["The id of the account, in base64url.", "dXNyXzAxano4cTJk"],
};
