import { KeyRound } from "lucide-react";
import { useId } from "react";
import { discover as texts } from "../../texts/discover.ts";
import { Card } from "../../ui/card.tsx";
import { Empty } from "../../ui/feedback.tsx";
import type { AuthorizationServer, Result } from "./types.ts";
import { findHost, findRegistration } from "./verdict-words.ts";

const { servers: words } = texts;

/** What an authorization server offers. */
function ServerFacts({ server }: { server: AuthorizationServer }) {
  const list = (values: readonly string[] | undefined) => values?.join(", ") || words.notSaid;
  const facts: [string, string][] = [
    [words.clientMetadata, server.clientIdMetadataDocumentSupported ? words.supported : words.notSupported],
    [words.pkce, list(server.codeChallengeMethodsSupported)],
    [words.tokenSignIn, list(server.tokenEndpointAuthMethodsSupported)],
    [words.grants, list(server.grantTypesSupported?.map((grant) => words.grantNames[grant] ?? grant))],
  ];
  return (
    <dl>
      <dt>{words.registration}</dt>
      <dd>
        <b>{words.registrations[findRegistration(server)]}</b>
      </dd>
      {facts.map(([name, value]) => (
        <div key={name} className="kv-row">
          <dt>{name}</dt>
          <dd className="breaks">{value}</dd>
        </div>
      ))}
      {server.scopesSupported && (
        <>
          <dt>{words.scopes}</dt>
          <dd title={server.scopesSupported.join(" ")}>{words.scopeCount(server.scopesSupported.length)}</dd>
        </>
      )}
    </dl>
  );
}

interface ChoiceProps {
  servers: readonly AuthorizationServer[];
  value: string | undefined;
  onChange(issuer: string): void;
}

/** The authorization servers side by side, to choose one. */
export function ServerChoice({ servers, value, onChange }: ChoiceProps) {
  const name = useId();
  return (
    <fieldset className="choices">
      <legend className="vh">{words.legend}</legend>
      {servers.map((server) => (
        <label key={server.issuer} className={`choice${value === server.issuer ? " on" : ""}`}>
          <span className="row">
            <input
              type="radio"
              className="radio"
              name={name}
              checked={value === server.issuer}
              onChange={() => onChange(server.issuer)}
            />
            <span className="cut" title={server.issuer}>
              {findHost(server.issuer)}
            </span>
          </span>
          <ServerFacts server={server} />
        </label>
      ))}
    </fieldset>
  );
}

/** The authorization servers, when there is nothing to choose. */
export function ServersCard({ authentication }: Pick<Result, "authentication">) {
  const { authorizationServers: servers, kind } = authentication;
  return (
    <Card title={words.title}>
      {servers.length === 0 ? (
        <Empty icon={KeyRound} title={words.none} text={kind === "none" ? words.noneOpen : words.noneOther} />
      ) : (
        <div className="choices pad">
          {servers.map((server) => (
            <div key={server.issuer} className="choice">
              <p className="row">
                <span className="cut" title={server.issuer}>
                  {findHost(server.issuer)}
                </span>
              </p>
              <ServerFacts server={server} />
            </div>
          ))}
        </div>
      )}
    </Card>
  );
}
