import { isIP } from "node:net";
import type {
  VerifyAuthenticationResponseOpts,
  VerifyRegistrationResponseOpts,
} from "@simplewebauthn/server";
import type { RegistrationCredential, SignInCredential } from "../webauthn-credentials.ts";

/** EdDSA, ES256, RS256: what authenticators and browsers support today. */
const algorithms = [-8, -7, -257];
export const challengeMinutes = 5;
const timeout = challengeMinutes * 60_000;

/** Loaded for the first passkey: the library has 290 modules, which would slow down every start. */
const loadLibrary = () => import("@simplewebauthn/server");

/** The site that passkeys belong to. Undefined where browsers do not allow them. */
export function findSite(publicUrl: string): { id: string; origin: string } | undefined {
  const { protocol, hostname, origin } = new URL(publicUrl);
  const isAllowed = protocol === "https:" || hostname === "localhost" || hostname.endsWith(".localhost");
  const isName = isIP(hostname.replace(/^\[|\]$/g, "")) === 0;
  return isAllowed && isName ? { id: hostname, origin } : undefined;
}

type Site = NonNullable<ReturnType<typeof findSite>>;
interface KnownKey {
  credentialId: string;
  transports: string[];
}

const describeKey = ({ credentialId: id, transports }: KnownKey) => ({
  type: "public-key" as const,
  id,
  ...(transports.length > 0 ? { transports } : {}),
});

export async function createRegistrationOptions(
  site: Site,
  user: { id: string; email: string; name: string },
  known: readonly KnownKey[],
) {
  const { generateRegistrationOptions } = await loadLibrary();
  const made = await generateRegistrationOptions({
    rpID: site.id,
    rpName: "Signalbox",
    userID: new TextEncoder().encode(user.id),
    userName: user.email,
    userDisplayName: user.name,
    supportedAlgorithmIDs: algorithms,
    timeout,
  });
  return {
    challenge: made.challenge,
    rp: { id: site.id, name: "Signalbox" },
    user: made.user,
    pubKeyCredParams: made.pubKeyCredParams,
    timeout,
    attestation: "none" as const,
    excludeCredentials: known.map(describeKey),
    authenticatorSelection: {
      residentKey: "required" as const,
      requireResidentKey: true as const,
      userVerification: "preferred" as const,
    },
  };
}

export async function createSignInOptions(site: Site, allowed: readonly KnownKey[]) {
  const { generateAuthenticationOptions } = await loadLibrary();
  const { challenge } = await generateAuthenticationOptions({ rpID: site.id });
  return {
    challenge,
    rpId: site.id,
    timeout,
    // After a password, the passkey only has to prove possession.
    userVerification: allowed.length > 0 ? ("preferred" as const) : ("required" as const),
    allowCredentials: allowed.map(describeKey),
  };
}

/** The challenge that a credential answers. Undefined when the credential is malformed. */
export function readChallenge({ response }: { response: { clientDataJSON: string } }): string | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(response.clientDataJSON, "base64url").toString());
    const challenge = (parsed as { challenge?: unknown } | null)?.challenge;
    return typeof challenge === "string" && challenge.length <= 200 ? challenge : undefined;
  } catch {
    return undefined;
  }
}

/** Returns undefined when the library refuses the credential. `challenge` was issued by us and is used up. */
export async function verifyRegistration(site: Site, challenge: string, credential: RegistrationCredential) {
  const { verifyRegistrationResponse } = await loadLibrary();
  const { verified, registrationInfo } = await refuseErrors(
    verifyRegistrationResponse({
      // The library does not need the extensions, whose values browsers choose.
      response: {
        ...credential,
        clientExtensionResults: {},
      } as VerifyRegistrationResponseOpts["response"],
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    }),
  );
  if (!verified || !registrationInfo) return undefined;
  const { credential: key, credentialDeviceType } = registrationInfo;
  return {
    credentialId: key.id,
    publicKey: Buffer.from(key.publicKey).toString("base64url"),
    counter: key.counter,
    synced: credentialDeviceType === "multiDevice",
  };
}

export async function verifySignIn(
  site: Site,
  challenge: string,
  credential: SignInCredential,
  key: { credentialId: string; publicKey: string; counter: number },
  { requireUserVerification }: { requireUserVerification: boolean },
): Promise<{ counter: number } | undefined> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  const { verified, authenticationInfo } = await refuseErrors(
    verifyAuthenticationResponse({
      response: {
        ...credential,
        clientExtensionResults: {},
      } as VerifyAuthenticationResponseOpts["response"],
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      credential: {
        id: key.credentialId,
        publicKey: new Uint8Array(Buffer.from(key.publicKey, "base64url")),
        counter: key.counter,
      },
      requireUserVerification,
    }),
  );
  return verified && authenticationInfo ? { counter: authenticationInfo.newCounter } : undefined;
}

/** The library throws for every credential that it refuses. Its texts may contain parts of the credential. */
const refuseErrors = <T extends { verified: boolean }>(
  result: Promise<T>,
): Promise<T | { verified: false; registrationInfo?: never; authenticationInfo?: never }> =>
  result.catch(() => ({ verified: false as const }));
