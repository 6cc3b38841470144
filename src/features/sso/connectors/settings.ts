import type { Place, SealedColumn } from "../../../platform/keyring.ts";
import type { AuthMethod } from "../../../platform/oauth/index.ts";
import type { Binding, IdentityProvider } from "../saml-protocol/index.ts";

export interface Claims {
  email: string;
  name: string;
  groups: string;
}

export interface OidcSettings {
  issuer: string;
  endpoints: {
    authorizationEndpoint: string;
    tokenEndpoint: string;
    jwksUri: string;
    userinfoEndpoint?: string | undefined;
  } | null;
  clientId: string;
  authMethod: Exclude<AuthMethod, "private_key_jwt"> | null;
  scopes: string[];
  claims: Claims;
}

export interface SamlConnectorSettings {
  provider: IdentityProvider;
  /** Our certificate, whose private key is the secret of the connector. */
  certificate: string;
  /** The certificate of the earlier secret. */
  earlierCertificate: string | null;
  /** Null: HTTP-Redirect if the provider offers it. */
  binding: Binding | null;
  requireSigned: "either" | "assertion" | "response" | "both";
  /** Null: the NameID identifies a person. */
  subjectAttribute: string | null;
  nameIdFormat: string | null;
  allowsProviderStart: boolean;
  /** The names of attributes. Null: the usual names are tried. */
  attributes: { [Name in keyof Claims]: string | null };
}

export type ConnectorSettings = OidcSettings | SamlConnectorSettings;

const isSaml = (settings: ConnectorSettings): settings is SamlConnectorSettings => "provider" in settings;

type SecretColumn = "client_secret" | "earlier_client_secret";

/**
 * What a secret is bound to. A client secret is bound to the servers that receive it; discovered endpoints belong to the
 * issuer. A private key is never sent, and is bound to its certificate.
 */
const describeAddress = (column: SecretColumn, settings: ConnectorSettings): string => {
  if (isSaml(settings))
    return (column === "client_secret" ? settings.certificate : settings.earlierCertificate) ?? "";
  const { issuer, endpoints } = settings;
  return endpoints ? `${issuer} ${endpoints.tokenEndpoint}` : issuer;
};

export const createSecretPlace = (
  organization: string,
  row: string,
  column: SecretColumn,
  settings: ConnectorSettings,
): Place => ({
  table: "sso_connectors",
  row,
  column,
  organization,
  address: describeAddress(column, settings),
});

const sealedColumn = (column: SecretColumn): SealedColumn => ({
  table: "sso_connectors",
  id: "id",
  column,
  organization: "org_id",
  address: { fields: "settings", of: (settings: ConnectorSettings) => describeAddress(column, settings) },
});

/** The columns that `signalbox reseal` seals again. */
export const sealedSecrets = [sealedColumn("client_secret"), sealedColumn("earlier_client_secret")];
