import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatSeconds } from "../../lib/format.ts";
import { usePath } from "../../lib/paths.ts";
import { useRead } from "../../lib/queries.ts";
import { codeHost as texts } from "../../texts/code-host.ts";
import { Lamp } from "../../ui/state.tsx";
import { findState, type Tone } from "../../ui/states.ts";
import { Changes } from "./changes.tsx";
import { type Connector, type DeliveryDetail, shortenCommit, shortenRef } from "./types.ts";

const { delivery: words } = texts;

interface FlowStepProps {
  tone: Tone;
  title: ReactNode;
  text?: ReactNode;
  at?: number | null | undefined;
}

export const FlowStep = ({ tone, title, text, at }: FlowStepProps) => (
  <li>
    <Lamp tone={tone} />
    <div>
      <p className="strong">{title}</p>
      {text && <p className="small t3 breaks">{text}</p>}
    </div>
    <span className="mono t3">{at ? formatSeconds(at) : ""}</span>
  </li>
);

interface DeliveryFlowProps {
  delivery: DeliveryDetail;
  connectors: readonly Connector[];
}

/** What happened to a delivery, from the signature to the sync. */
export function DeliveryFlow({ delivery, connectors }: DeliveryFlowProps) {
  const { outcome, reason, receivedAt, targets, ref } = delivery;
  const dialect = texts.kinds[delivery.dialect as keyof typeof texts.kinds] ?? delivery.dialect;
  const syncs = targets.filter((target) => target.syncId !== null);
  const connector = connectors.find(({ id }) => id === targets[0]?.connectorId);
  const about = [connector?.name, ref && shortenRef(ref), connector?.folder && `${connector.folder}/`]
    .filter(Boolean)
    .join(" · ");
  return (
    <ol className="steps3">
      <FlowStep
        tone="ok"
        title={words.verified}
        text={delivery.scope === "connector" ? words.byConnector(dialect) : words.byInstance(dialect)}
        at={receivedAt}
      />
      {outcome === "accepted" ? (
        <FlowStep
          tone="ok"
          title={syncs.length > 0 ? words.stored : words.storedNothing}
          text={about}
          at={receivedAt}
        />
      ) : (
        <FlowStep
          tone={outcome === "invalid" ? "bad" : "none"}
          title={outcome === "invalid" ? words.invalid : words.ignored}
          text={reason}
          at={receivedAt}
        />
      )}
      {syncs.map(({ syncId }) => (
        <SyncStep key={syncId} id={syncId!} />
      ))}
    </ol>
  );
}

/** The sync that followed. It is read again while it is under way. */
function SyncStep({ id }: { id: string }) {
  const path = usePath();
  const { data } = useRead("GET /v1/connector-syncs/{id}", { path: { id } }, { everyMs: 3_000 });
  if (!data) return null;
  const { sync } = data;
  const { tone, word } = findState("sync", sync.status);
  return (
    <FlowStep
      tone={tone}
      title={
        <Link className="link" to={path(`/code-host/syncs/${id}`)}>
          {sync.status === "succeeded" && sync.commit ? (
            <>
              {words.synced} <code>{shortenCommit(sync.commit)}</code>
            </>
          ) : (
            word
          )}
        </Link>
      }
      text={sync.changes ? <Changes changes={sync.changes} long /> : sync.error?.message}
      at={sync.finishedAt ?? sync.startedAt}
    />
  );
}
