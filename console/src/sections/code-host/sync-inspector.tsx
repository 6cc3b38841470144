import { Link } from "@tanstack/react-router";
import { RotateCw } from "lucide-react";
import { usePermission } from "../../lib/context.tsx";
import { formatDuration } from "../../lib/format.ts";
import { useMemberNames } from "../../lib/member-names.ts";
import { usePath } from "../../lib/paths.ts";
import { useAction, useRead } from "../../lib/queries.ts";
import { codeHost as texts } from "../../texts/code-host.ts";
import { Button } from "../../ui/button.tsx";
import { MoreLink, Pairs } from "../../ui/card.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { FormProblem, useProblem } from "../../ui/form.tsx";
import { Inspector } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { Changes } from "./changes.tsx";
import { FlowStep } from "./delivery-flow.tsx";
import { ProblemList } from "./problem-list.tsx";
import { type Connector, type Sync, shortenCommit } from "./types.ts";

const { sync: words } = texts;

interface SyncInspectorProps {
  id: string;
  connectors: readonly Connector[];
  onClose(): void;
}

/** One sync: what it changed, what it could not read, and why it failed. */
export function SyncInspector({ id, connectors, onClose }: SyncInspectorProps) {
  const query = useRead("GET /v1/connector-syncs/{id}", { path: { id } }, { everyMs: 3_000 });
  const sync = query.data?.sync.id === id ? query.data.sync : undefined;
  const mayManage = usePermission("connectors:manage");
  const { problem, attempt } = useProblem();
  const toast = useToast();
  const retry = useAction("POST /v1/connector-syncs/{id}/retry", {
    changes: ["GET /v1/connector-syncs", "GET /v1/connector-syncs/{id}", "GET /v1/connectors"],
    onDone: () => toast(words.retried),
  });
  const connector = connectors.find((one) => one.id === sync?.connectorId);
  return (
    <Inspector
      title={sync ? words.title(connector?.name ?? sync.connectorId) : texts.syncs.one}
      lead={
        sync && (
          <span className="row wrap">
            <State kind="sync" value={sync.status} boxed />
            <span className="t3">{texts.syncs.causes[sync.cause]}</span>
          </span>
        )
      }
      onClose={onClose}
      beside={
        mayManage &&
        sync?.status === "failed" && (
          <Button
            size="s"
            icon={RotateCw}
            busy={retry.isRunning}
            onClick={() => void attempt(() => retry.run({ path: { id } }))}
          >
            {words.retry}
          </Button>
        )
      }
    >
      <FormProblem problem={problem} />
      <Loaded query={{ ...query, data: sync }} what={texts.syncs.one}>
        {(shown) => (
          <>
            <SyncFlow sync={shown} />
            <ProblemList problems={shown.problems} title={words.problems(shown.problemCount)} />
            <SyncFacts sync={shown} connector={connector} />
          </>
        )}
      </Loaded>
    </Inspector>
  );
}

function SyncFlow({ sync }: { sync: Sync }) {
  const { status, error, startedAt, finishedAt, attempt, changes, commit } = sync;
  return (
    <ol className="steps3">
      <FlowStep tone="ok" title={words.queued} at={sync.createdAt} />
      {startedAt !== null && (
        <FlowStep tone={status === "running" ? "live" : "ok"} title={words.begun(attempt)} at={startedAt} />
      )}
      {status === "succeeded" && (
        <FlowStep
          tone="ok"
          title={
            <>
              {texts.delivery.synced} <code>{commit ? shortenCommit(commit) : ""}</code>
            </>
          }
          text={<Changes changes={changes} long />}
          at={finishedAt}
        />
      )}
      {error !== null && status !== "succeeded" && (
        <FlowStep
          tone="bad"
          title={
            <>
              {words.failed} <code>{error.code}</code>
            </>
          }
          text={error.message}
          at={finishedAt}
        />
      )}
      {error?.retryable && status === "queued" && (
        <FlowStep tone="care" title={words.willRetry} text={<Time at={sync.dueAt} />} />
      )}
      {status === "superseded" && <FlowStep tone="none" title={words.superseded} at={finishedAt} />}
    </ol>
  );
}

function SyncFacts({ sync, connector }: { sync: Sync; connector: Connector | undefined }) {
  const path = usePath();
  const nameMember = useMemberNames();
  return (
    <>
      <Pairs
        items={[
          [
            words.connector,
            <Link key="connector" className="link" to={path(`/code-host/connectors/${sync.connectorId}`)}>
              {connector?.name ?? sync.connectorId}
            </Link>,
          ],
          [words.cause, texts.syncs.causes[sync.cause]],
          sync.head !== null && [
            words.head,
            <CopyText key="head" value={sync.head} shown={shortenCommit(sync.head)} />,
          ],
          sync.commit !== null && [
            words.read,
            <CopyText key="commit" value={sync.commit} shown={shortenCommit(sync.commit)} />,
          ],
          sync.startedAt !== null &&
            sync.finishedAt !== null && [words.took, formatDuration(sync.finishedAt - sync.startedAt)],
          sync.requestedBy !== null && [words.by, nameMember(sync.requestedBy)],
        ]}
      />
      {sync.status === "succeeded" && (
        <MoreLink to={path("/templates")} search={{ connectorId: sync.connectorId }}>
          {words.templates}
        </MoreLink>
      )}
    </>
  );
}
