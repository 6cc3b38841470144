import { createPrivateKey } from "node:crypto";
import { invalidField } from "../../../platform/errors.ts";
import type { Keyring, Place, SealedColumn } from "../../../platform/keyring.ts";
import { type CodeHost, listServers } from "../code-hosts.ts";
import type { Access, AccessInput } from "./contract.ts";

/** Access as it is stored. The secret is sealed; the settings are not secret. */
export interface SealedAccess {
  kind: Access["kind"];
  secret: string | null;
  settings: { username?: string; appId?: string; installationId?: string };
}

/** What the secret of a connector is bound to: its organization and the servers that receive it. */
export interface SecretBinding {
  id: string;
  orgId: string;
  codehost: CodeHost;
  baseUrl: string | null;
  cloneUrl: string;
}

const createPlace = (connector: SecretBinding): Place => ({
  table: "connectors",
  row: connector.id,
  column: "access_secret",
  organization: connector.orgId,
  address: listServers(connector),
});
export const sealedAccess: SealedColumn = {
  table: "connectors",
  id: "id",
  column: "access_secret",
  organization: "org_id",
  address: {
    fields: "jsonb_build_object('codehost', codehost, 'baseUrl', base_url, 'cloneUrl', clone_url)",
    of: (fields: SecretBinding) => listServers(fields),
  },
};

export const openAccess = (keyring: Keyring, connector: SecretBinding, sealed: string): string =>
  keyring.open(sealed, createPlace(connector));

export function sealAccess(keyring: Keyring, connector: SecretBinding, input: AccessInput): SealedAccess {
  const seal = (text: string) => keyring.seal(text, createPlace(connector));
  if (input.kind === "none") return { kind: "none", secret: null, settings: {} };
  if (input.kind === "token") {
    const { token, username } = input;
    return { kind: "token", secret: seal(token), settings: username ? { username } : {} };
  }
  const { appId, installationId } = input;
  return {
    kind: "github_app",
    secret: seal(normalizeKey(input.privateKey)),
    settings: { appId, ...(installationId ? { installationId } : {}) },
  };
}

function normalizeKey(given: string): string {
  // Keys copied from an environment variable often contain \n instead of line ends.
  const pem = given.includes("\n") ? given : given.replaceAll("\\n", "\n");
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "rsa") return key.export({ type: "pkcs8", format: "pem" }).toString();
  } catch {
    // Reported below: the message of the library could contain parts of the key.
  }
  throw invalidField(
    ["access", "privateKey"],
    "This is not an RSA private key. Paste the whole .pem file that GitHub gave you.",
  );
}
