import { CirclePause, CircleX, GitCompare } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../../lib/context.tsx";
import { useMemberNames } from "../../../lib/member-names.ts";
import { useFilters, usePath } from "../../../lib/paths.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button, LinkButton } from "../../../ui/button.tsx";
import { Pairs } from "../../../ui/card.tsx";
import { CopyText } from "../../../ui/copy.tsx";
import { Id, Time } from "../../../ui/time.tsx";
import { EvidenceCard } from "../../discover/evidence.tsx";
import "../../discover/discover.css";
import { type ConnectionDetail, findHost, isOauth } from "../types.ts";
import { MembersSection } from "./members-section.tsx";
import { OwnAccount } from "./own-account.tsx";
import { TestSection } from "./test-section.tsx";
import { VerdictDrift } from "./verdict-drift.tsx";

const { record: words } = texts;

/** How a connection is, what is wrong with it, and whose account it uses. */
export function OverviewPart({ connection }: { connection: ConnectionDetail }) {
  const { filters } = useFilters();
  const mayManage = usePermission("mcp_connections:manage");
  return (
    <>
      {!connection.enabled && (
        <p className="note">
          <CirclePause className="i s" aria-hidden />
          {words.off}
        </p>
      )}
      <Problem connection={connection} />
      <Held connection={connection} mayManage={mayManage} />
      {connection.verdictDrift.length > 0 && <VerdictDrift connection={connection} />}
      <OwnAccount connection={connection} />
      <TestSection
        key={filters.test ?? ""}
        connectionId={connection.id}
        startsNow={filters.test !== undefined}
      />
      {mayManage && connection.credential === "per_member" && connection.registration !== "none" && (
        <MembersSection connection={connection} />
      )}
      <Facts connection={connection} />
      <Evidence connection={connection} />
    </>
  );
}

function Problem({ connection: { problem } }: { connection: ConnectionDetail }) {
  if (problem === null) return null;
  return (
    <div className="note bad top-note">
      <CircleX className="i s" aria-hidden />
      <div className="grow">
        <p className="strong">{words.problem(words.steps[problem.step] ?? problem.step)}</p>
        <p className="wrap-any">{problem.message}</p>
        <p className="small t3">
          {words.since} <Time at={problem.since} /> · <code>{problem.code}</code>
        </p>
      </div>
    </div>
  );
}

function Held({
  connection: { id, heldTools },
  mayManage,
}: {
  connection: ConnectionDetail;
  mayManage: boolean;
}) {
  const path = usePath();
  if (heldTools === 0) return null;
  return (
    <div className="note care top-note">
      <GitCompare className="i s" aria-hidden />
      <div className="grow">
        <p className="strong">{words.heldTitle(heldTools)}</p>
        <p>{mayManage ? words.heldText : words.heldTextMember}</p>
      </div>
      {mayManage && (
        <LinkButton size="s" look="primary" to={path(`/connections/mcp/${id}/drift`)}>
          {words.review}
        </LinkButton>
      )}
    </div>
  );
}

function Facts({ connection }: { connection: ConnectionDetail }) {
  const nameMember = useMemberNames();
  const { registration, authorizationServer, scopes, clientId, redirectUri, createdBy } = connection;
  const hasSignIn = isOauth(registration);
  return (
    <section className="field">
      <h3 className="sub-title">{words.facts}</h3>
      <Pairs
        items={[
          [words.address, <CopyText key="url" value={connection.url} />],
          [words.prefix, <code key="slug">{connection.slug}__</code>],
          [words.way, texts.addServer.ways[registration]],
          registration !== "none" && [
            words.credential,
            connection.credential === "shared" ? texts.addServer.shared : texts.addServer.perMember,
          ],
          hasSignIn &&
            authorizationServer !== null && [words.authorizationServer, findHost(authorizationServer)],
          hasSignIn && [
            words.scopes,
            scopes.length > 0 ? <code key="scopes">{scopes.join(" ")}</code> : words.noScopes,
          ],
          hasSignIn && clientId !== null && [words.clientId, <CopyText key="client" value={clientId} />],
          hasSignIn &&
            redirectUri !== null && [words.redirectUri, <CopyText key="redirect" value={redirectUri} />],
          hasSignIn &&
            connection.resource !== null && [
              words.resource,
              <code key="resource">{connection.resource}</code>,
            ],
          [words.protocol, connection.protocolVersion ?? words.unknown],
          [words.discovered, <Time key="discovered" at={connection.discoveredAt} />],
          [words.checked, <Time key="checked" at={connection.checkedAt} />],
          [
            words.created,
            <span key="created">
              <Time at={connection.createdAt} form="date" />{" "}
              {createdBy !== null && words.by(nameMember(createdBy))}
            </span>,
          ],
          [words.id, <Id key="id" id={connection.id} />],
        ]}
      />
    </section>
  );
}

/** The requests of the last discovery, on demand. */
function Evidence({ connection: { url, evidence } }: { connection: ConnectionDetail }) {
  const [isShown, setIsShown] = useState(false);
  if (evidence.length === 0) return null;
  return (
    <section className="field">
      <div>
        <Button look="quiet" size="s" aria-expanded={isShown} onClick={() => setIsShown(!isShown)}>
          {isShown ? words.hideEvidence : words.showEvidence}
        </Button>
      </div>
      {isShown && (
        <EvidenceCard
          url={url}
          steps={evidence.map((step) => ({ ...step, state: "interpreted" as const }))}
        />
      )}
    </section>
  );
}
