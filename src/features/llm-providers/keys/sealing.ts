import type { Keyring, Place, SealedColumn } from "../../../platform/keyring.ts";

/** A key and the address that it was given for. */
interface KeyBinding {
  id: string;
  orgId: string;
  baseUrl: string;
}

/** A key is only sent to the origin that it was given for. */
export const findOrigin = (baseUrl: string): string => URL.parse(baseUrl)?.origin ?? baseUrl;

const toPlace = ({ id, orgId, baseUrl }: KeyBinding): Place => ({
  table: "llm_provider_keys",
  row: id,
  column: "secret",
  organization: orgId,
  address: findOrigin(baseUrl),
});

export const sealKey = (keyring: Keyring, key: KeyBinding, secret: string) =>
  keyring.seal(secret, toPlace(key));

export const openKey = (keyring: Keyring, key: KeyBinding, sealed: string) =>
  keyring.open(sealed, toPlace(key));

/** The columns that `signalbox reseal` seals again. */
export const sealedKeys: readonly SealedColumn[] = [
  {
    table: "llm_provider_keys",
    id: "id",
    column: "secret",
    organization: "org_id",
    address: {
      fields:
        "(select jsonb_build_object('baseUrl', p.base_url) from llm_providers p where p.id = llm_provider_keys.provider_id)",
      of: ({ baseUrl }: { baseUrl: string }) => findOrigin(baseUrl),
    },
  },
];
