import { createPrivateKey } from "node:crypto";
import { invalidField } from "../../../platform/errors.ts";
import type { Keyring, Place, SealedColumn } from "../../../platform/keyring.ts";
import { serversOf } from "../address.ts";
import type { CodeHost } from "../contract.ts";
import type { Access, AccessInput } from "./contract.ts";

/** As it is stored: what is secret of it sealed, the rest beside it. */
export interface KeptAccess {
  kind: Access["kind"];
  secret: string | null;
  settings: { username?: string; appId?: string; installationId?: string };
}

/** What a connector's secret is bound to: its organization, and the servers it is sent to. */
export interface Bound {
  id: string;
  orgId: string;
  codehost: CodeHost;
  baseUrl: string | null;
  cloneUrl: string;
}

const place = (connector: Bound): Place => ({
  table: "connectors",
  row: connector.id,
  column: "access_secret",
  organization: connector.orgId,
  address: serversOf(connector),
});
export const sealedAccess: SealedColumn = {
  table: "connectors",
  id: "id",
  column: "access_secret",
  organization: "org_id",
  address: {
    fields: "jsonb_build_object('codehost', codehost, 'baseUrl', base_url, 'cloneUrl', clone_url)",
    of: (fields: Bound) => serversOf(fields),
  },
};

export const openAccess = (keyring: Keyring, connector: Bound, sealed: string): string =>
  keyring.open(sealed, place(connector));

export function keepAccess(keyring: Keyring, connector: Bound, input: AccessInput): KeptAccess {
  const seal = (text: string) => keyring.seal(text, place(connector));
  if (input.kind === "none") return { kind: "none", secret: null, settings: {} };
  if (input.kind === "token") {
    const { token, username } = input;
    return { kind: "token", secret: seal(token), settings: username ? { username } : {} };
  }
  const { appId, installationId } = input;
  return {
    kind: "github_app",
    secret: seal(plainKey(input.privateKey)),
    settings: { appId, ...(installationId ? { installationId } : {}) },
  };
}

function plainKey(given: string): string {
  // Copied out of an environment variable it often has its line ends written as \n.
  const pem = given.includes("\n") ? given : given.replaceAll("\\n", "\n");
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "rsa") return key.export({ type: "pkcs8", format: "pem" }).toString();
  } catch {
    // Told below; the library's own words could carry pieces of the key.
  }
  throw invalidField(
    ["access", "privateKey"],
    "This is not an RSA private key. Paste the whole .pem file that GitHub gave you.",
  );
}
