import { RotateCw } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { formatBytes, formatExact } from "../../lib/format.ts";
import { useAction, useRead } from "../../lib/queries.ts";
import { codeHost as texts } from "../../texts/code-host.ts";
import { Button } from "../../ui/button.tsx";
import { Pairs } from "../../ui/card.tsx";
import { Code } from "../../ui/code.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { FormProblem, useProblem } from "../../ui/form.tsx";
import { Inspector } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { useToast } from "../../ui/toast.tsx";
import { DeliveryFlow } from "./delivery-flow.tsx";
import { type Connector, type DeliveryDetail, shortenCommit } from "./types.ts";

const { delivery: words } = texts;

interface DeliveryInspectorProps {
  id: string;
  connectors: readonly Connector[];
  onClose(): void;
}

/** One delivery: what followed from it, its body and its headers. */
export function DeliveryInspector({ id, connectors, onClose }: DeliveryInspectorProps) {
  const query = useRead("GET /v1/webhook-deliveries/{id}", { path: { id } }, { everyMs: 5_000 });
  const delivery = query.data?.delivery.id === id ? query.data.delivery : undefined;
  const mayManage = usePermission("connectors:manage");
  const { problem, attempt } = useProblem();
  const toast = useToast();
  const replay = useAction("POST /v1/webhook-deliveries/{id}/replay", {
    changes: ["GET /v1/webhook-deliveries", "GET /v1/webhook-deliveries/{id}", "GET /v1/connector-syncs"],
    onDone: ({ queued, reason }) => toast(queued ? words.replayed : words.replayedNothing(reason)),
  });
  return (
    <Inspector
      title={delivery ? describeTitle(delivery) : texts.deliveries.one}
      lead={delivery && <Lead delivery={delivery} />}
      onClose={onClose}
      beside={
        mayManage &&
        delivery?.bodyStored && (
          <Button
            size="s"
            icon={RotateCw}
            busy={replay.isRunning}
            onClick={() => void attempt(() => replay.run({ path: { id } }))}
          >
            {words.replay}
          </Button>
        )
      }
    >
      <FormProblem problem={problem} />
      <Loaded query={{ ...query, data: delivery }} what={texts.deliveries.one}>
        {(shown) => (
          <>
            <DeliveryFlow delivery={shown} connectors={connectors} />
            <Content delivery={shown} mayManage={mayManage} />
            <Facts delivery={shown} />
          </>
        )}
      </Loaded>
    </Inspector>
  );
}

const describeTitle = ({ event, repository }: DeliveryDetail): string =>
  event === "push" && repository !== null ? words.push(repository) : words.title(event, repository);

const Lead = ({ delivery: { outcome, receivedAt, bodyBytes, repeats } }: { delivery: DeliveryDetail }) => (
  <span className="row wrap">
    <State kind="delivery" value={outcome} boxed />
    <span className="t3">
      {[
        formatExact(receivedAt),
        bodyBytes !== null && formatBytes(bodyBytes),
        repeats > 0 ? words.repeated(repeats) : words.once,
      ]
        .filter(Boolean)
        .join(" · ")}
    </span>
  </span>
);

/** The body and the headers as they came, without secrets. */
function Content({ delivery, mayManage }: { delivery: DeliveryDetail; mayManage: boolean }) {
  const [view, setView] = useState<"body" | "headers">("body");
  if (!mayManage) return <p className="note">{words.bodyHidden}</p>;
  const { body, headers, bodyEncoding, bodyTruncated } = delivery;
  const headerLines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return (
    <section className="field">
      <div>
        <Segments
          label={words.view}
          value={view}
          onChange={setView}
          options={[
            { value: "body", label: words.body },
            { value: "headers", label: words.headers(headerLines.length) },
          ]}
        />
      </div>
      {view === "headers" ? (
        <Code text={headerLines.join("\n")} title={words.headers(headerLines.length)} />
      ) : body === null ? (
        <p className="note">{delivery.bodyStored ? words.bodyWaiting : words.bodyNotStored}</p>
      ) : (
        <>
          <Code text={bodyEncoding === "utf-8" ? indent(body) : body} title={words.body} />
          {bodyTruncated && <p className="hint">{words.truncated}</p>}
        </>
      )}
    </section>
  );
}

/** JSON with line breaks. Other text stays as it is. */
function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const Facts = ({ delivery }: { delivery: DeliveryDetail }) => (
  <Pairs
    items={[
      [words.deliveryId, <CopyText key="id" value={delivery.deliveryId} />],
      [words.sentTo, delivery.scope === "connector" ? words.toConnector : words.toInstance],
      delivery.action !== null && [words.action, <code key="action">{delivery.action}</code>],
      delivery.head !== null && [
        words.commit,
        <CopyText key="head" value={delivery.head} shown={shortenCommit(delivery.head)} />,
      ],
      delivery.bodySha256 !== null && [
        words.hash,
        <CopyText key="hash" value={delivery.bodySha256} shown={`${delivery.bodySha256.slice(0, 12)}…`} />,
      ],
      [words.secrets, words.secretsLeftOut],
    ]}
  />
);
