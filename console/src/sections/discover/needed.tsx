import { Check } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useOptionalOrganization } from "../../lib/context.tsx";
import { discover as texts } from "../../texts/discover.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyRow } from "../../ui/copy.tsx";
import { Tag } from "../../ui/state.tsx";
import { ServerChoice } from "./servers.tsx";
import { isDestructive } from "./tools.tsx";
import type { AuthorizationServer, Requirement, Result } from "./types.ts";
import {
  acceptsPublicClient,
  findCorrectedUrl,
  findHost,
  findRegistration,
  suggestProviderId,
} from "./verdict-words.ts";

const { needed: words } = texts;

interface NeededProps {
  result: Result;
  /** Discovers another address. Absent on a shared page. */
  onDiscover?(url: string): void;
}

/** What a person has to do before the server can be connected, as a checklist with values to copy. */
export function NeededCard({ result, onDiscover }: NeededProps) {
  const { authentication } = result;
  const [issuer, setIssuer] = useState<string>();
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const hasSelection = result.manualRequirements.some(
    ({ code }) => code === "authorization_server_selection",
  );
  const servers = authentication.authorizationServers;
  const server = hasSelection
    ? servers.find((one) => one.issuer === issuer)
    : (servers.find((one) => findRegistration(one) === "pre_registered") ?? servers[0]);
  const requirements = addRegistration(result, hasSelection ? server : undefined);
  const isDone = ({ code }: Requirement): boolean =>
    code === "authorization_server_selection"
      ? issuer !== undefined
      : marked.has(code) ||
        (code === "oauth_client_registration" &&
          server !== undefined &&
          findRegistration(server) !== "pre_registered");
  const mark = (code: string) =>
    setMarked((now) => new Set(now.has(code) ? [...now].filter((one) => one !== code) : [...now, code]));

  if (requirements.length === 0) return <NothingNeeded result={result} />;
  return (
    <Card
      title={words.title}
      beside={
        <span className="t3 small">
          {words.done(requirements.filter(isDone).length, requirements.length)}
        </span>
      }
    >
      <ol>
        {requirements.map((requirement, i) => (
          <NeededStep
            key={requirement.code}
            number={i + 1}
            title={requirement.label}
            code={requirement.code}
            isDone={isDone(requirement)}
            onMark={
              requirement.code === "authorization_server_selection" ? undefined : () => mark(requirement.code)
            }
          >
            {requirement.code === "authorization_server_selection" ? (
              <>
                <p>{words.selection}</p>
                <ServerChoice servers={servers} value={issuer} onChange={setIssuer} />
              </>
            ) : requirement.code === "oauth_client_registration" ? (
              <Registration
                requirement={requirement}
                result={result}
                server={server}
                isChosen={!hasSelection || server !== undefined}
              />
            ) : (
              <Other requirement={requirement} onDiscover={onDiscover} />
            )}
          </NeededStep>
        ))}
      </ol>
    </Card>
  );
}

/** The server asks for a client by hand only when every choice needs one. The chosen one may need it too. */
function addRegistration(
  { manualRequirements }: Result,
  chosen: AuthorizationServer | undefined,
): readonly Requirement[] {
  const code = "oauth_client_registration";
  const isListed = manualRequirements.some((requirement) => requirement.code === code);
  if (isListed || !chosen || findRegistration(chosen) !== "pre_registered") return manualRequirements;
  return [...manualRequirements, { code, label: words.registerTitle, reason: "", required: true }];
}

interface StepProps {
  number: number;
  title: string;
  code?: string;
  isDone: boolean;
  onMark?: (() => void) | undefined;
  children: ReactNode;
}

const NeededStep = ({ number, title, code, isDone, onMark, children }: StepProps) => (
  <li className="step">
    <span className={`n${isDone ? " done" : ""}`} aria-hidden>
      {isDone ? <Check className="i s" /> : number}
    </span>
    <div>
      <h3>
        {title}
        {code && (
          <span className="no-phone">
            <Tag mono outlined>
              {code}
            </Tag>
          </span>
        )}
        {onMark && (
          <span className="right">
            <Button look="quiet" size="s" aria-pressed={isDone} onClick={onMark}>
              {isDone ? words.undo : words.markDone}
            </Button>
          </span>
        )}
      </h3>
      {children}
    </div>
  </li>
);

interface RegistrationProps {
  requirement: Requirement;
  result: Result;
  server: AuthorizationServer | undefined;
  isChosen: boolean;
}

/** How to register a client at the chosen authorization server, and the way to the form that saves it. */
function Registration({ requirement, result, server, isChosen }: RegistrationProps) {
  const organization = useOptionalOrganization();
  if (!isChosen) return <p>{words.chooseFirst}</p>;
  if (!server) return <p className="breaks">{requirement.reason}</p>;
  const host = findHost(server.issuer);
  if (findRegistration(server) !== "pre_registered") return <p>{words.byItself(host)}</p>;
  const id = suggestProviderId(server.issuer);
  const scopes = result.authentication.recommendedScopes;
  return (
    <>
      <p>{words.register(host, acceptsPublicClient(server))}</p>
      <div className="stack copies">
        <Value label={words.redirectUri} value={findRedirectUri(requirement, id)} />
        {scopes.length > 0 && <Value label={words.scopes} value={scopes.join(" ")} />}
        <Value label={words.providerId} value={id} />
      </div>
      {organization?.permissions.has("oauth_clients:manage") && (
        <div className="row acts2">
          <LinkButton
            look={organization.permissions.has("mcp_connections:manage") ? "secondary" : "primary"}
            to={`/o/${organization.slug}/connections/accounts`}
            search={{ new: "provider", issuer: server.issuer, id, name: host, scopes: scopes.join(" ") }}
          >
            {words.setUp}
          </LinkButton>
          <span className="t3 small">{words.setUpNote}</span>
        </div>
      )}
    </>
  );
}

/** The verdict names the redirect URI of this instance. Its id changes with the authorization server. */
function findRedirectUri({ reason }: Requirement, id: string): string {
  const named = /https?:\/\/\S+(?=\/v1\/oauth-providers\/)/.exec(reason)?.[0];
  return `${named ?? window.location.origin}/v1/oauth-providers/${id}/connect/callback`;
}

/** A requirement in the words of the server, with the value that it names. */
function Other({
  requirement,
  onDiscover,
}: {
  requirement: Requirement;
  onDiscover: NeededProps["onDiscover"];
}) {
  const url = findCorrectedUrl(requirement);
  return (
    <>
      <p className="breaks">{requirement.reason}</p>
      {url && (
        <div className="stack copies">
          <Value label={words.address} value={url} />
        </div>
      )}
      {requirement.code === "bearer_token" && (
        <div className="stack copies">
          <Value label={words.header} value={words.bearer} />
        </div>
      )}
      {url && onDiscover && (
        <div className="row acts2">
          <Button onClick={() => onDiscover(url)}>{words.tryAddress}</Button>
        </div>
      )}
    </>
  );
}

const Value = ({ label, value }: { label: string; value: string }) => (
  <div className="field">
    <span className="strong">{label}</span>
    <CopyRow value={value} />
  </div>
);

function NothingNeeded({ result }: { result: Result }) {
  if (result.status !== "ready") return null;
  const destructive = (result.tools.items ?? []).filter(isDestructive).map(({ name }) => name);
  return (
    <Card title={words.title}>
      <div className="step">
        <span className="n done" aria-hidden>
          <Check className="i s" />
        </span>
        <div>
          <h3>{words.nothing}</h3>
          <p>
            {result.authentication.kind === "oauth" ? words.nothingOauth : words.nothingOpen}{" "}
            {destructive.length > 0 && words.destructive(destructive.slice(0, 3).join(", "))}
          </p>
        </div>
      </div>
    </Card>
  );
}
