import { useNavigate, useParams } from "@tanstack/react-router";
import { CircleStop, ClipboardCopy, Link as LinkIcon, Pencil, RotateCcw } from "lucide-react";
import { useState } from "react";
import "./run.css";
import type { Reply } from "../../lib/api.ts";
import { usePermission } from "../../lib/context.tsx";
import { formatDate, shortenId } from "../../lib/format.ts";
import { usePath } from "../../lib/paths.ts";
import { useAction } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { runs } from "../../texts/runs.ts";
import { Button, IconButton, LinkButton } from "../../ui/button.tsx";
import { copyText } from "../../ui/copy.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { FormProblem, useProblem } from "../../ui/form.tsx";
import { RecordPage } from "../../ui/page.tsx";
import { PendingRecord } from "../../ui/pending-record.tsx";
import { State } from "../../ui/state.tsx";
import { Duration, useNow } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { EventsPart } from "./events/events-part.tsx";
import { writeTranscript } from "./events/transcript.ts";
import { useRunStream } from "./events/use-run-stream.ts";
import { AttemptsSection } from "./rail/attempts-section.tsx";
import { CostSection } from "./rail/cost-section.tsx";
import { DetailsSection } from "./rail/details-section.tsx";
import { Outcome } from "./reason.tsx";
import { Summary } from "./summary.tsx";
import { hasEnded, useRun } from "./use-run.ts";

const texts = runs.run;
type Detail = Reply<"GET /v1/automation-runs/{id}">;

export default function RunPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { detail, reports } = useRun(id);
  const path = usePath();
  if (detail.data === undefined)
    return (
      <PendingRecord
        id={id}
        list={{ label: runs.title, to: path("/runs") }}
        query={detail}
        what={texts.what}
      />
    );
  // Another run is another page, with its own stream, filters and scroll position.
  return <OpenRun key={id} detail={detail.data} reports={reports} />;
}

interface OpenRunProps {
  detail: Detail;
  reports: Parameters<typeof CostSection>[0]["reports"];
}

function OpenRun({ detail: { run, automation, usage, attempts }, reports }: OpenRunProps) {
  const path = usePath();
  const stream = useRunStream(run.id);
  const { timeline } = stream;
  const isLive = !hasEnded(run.status);
  const toast = useToast();
  const copyAll = async () => {
    if (await copyText(writeTranscript(timeline.events()))) toast(texts.copied);
  };
  return (
    <RecordPage
      name={run.automationName}
      crumbs={[
        { label: runs.title, to: path("/runs") },
        { label: run.automationName, to: path(`/automations/${run.automationId}`) },
        { label: <span className="mono">{shortenId(run.id)}</span> },
      ]}
      barActions={
        <>
          <IconButton icon={ClipboardCopy} label={texts.copyAll} onClick={copyAll} />
          <IconButton
            icon={LinkIcon}
            label={texts.copyLink}
            onClick={async () => {
              if (await copyText(window.location.href)) toast(common.actions.copied);
            }}
          />
          <LinkButton
            icon={Pencil}
            size="s"
            className="no-phone"
            to={path(`/automations/${run.automationId}`)}
          >
            {texts.automation}
          </LinkButton>
          {isLive && <CancelButton run={run} />}
        </>
      }
      title={run.automationName}
      beside={<State kind="run" value={run.status} boxed />}
      lead={<Lead run={run} />}
      rail={
        <div className="rail-stay">
          <CostSection
            usage={usage}
            reports={reports}
            startedAt={run.startedAt}
            endedAt={run.finishedAt}
            isLive={run.status === "running"}
            model={automation.model?.modelId}
          />
          <DetailsSection run={run} maxRuntimeSeconds={automation.maxRuntimeSeconds} />
          <AttemptsSection attempts={attempts} />
        </div>
      }
    >
      <Summary usage={usage} timeline={timeline} />
      <RetryOutcome run={run} />
      <EventsPart stream={stream} run={run} reports={reports} />
    </RecordPage>
  );
}

function Lead({ run }: { run: Detail["run"] }) {
  const now = useNow();
  const by =
    run.retryOf !== null ? texts.byRetry : run.trigger === "schedule" ? texts.bySchedule : texts.byHand;
  if (run.startedAt === null) return <>{run.status === "queued" ? texts.notStarted : null}</>;
  return (
    <>
      {texts.attempt(run.attempt)} · {texts.started(formatDate(run.startedAt, now), by)} ·{" "}
      <span className="t">
        <Duration from={run.startedAt} to={run.finishedAt} />
      </span>
    </>
  );
}

function CancelButton({ run }: { run: Detail["run"] }) {
  const [isAsking, setIsAsking] = useState(false);
  const toast = useToast();
  const cancel = useAction("POST /v1/automation-runs/{id}/cancel", {
    changes: ["GET /v1/automation-runs/{id}", "GET /v1/automation-runs"],
    onDone: ({ run: after }) => toast(after.status === "cancelled" ? texts.cancelDone : texts.cancelAsked),
  });
  return (
    <>
      <Button look="destructive" size="s" icon={CircleStop} onClick={() => setIsAsking(true)}>
        {texts.cancel}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={texts.cancelTitle(run.automationName)}
        text={run.status === "queued" ? texts.cancelQueued : texts.cancelRunning}
        action={texts.cancel}
        onConfirm={() => cancel.run({ path: { id: run.id } })}
      />
    </>
  );
}

function RetryOutcome({ run }: { run: Detail["run"] }) {
  const mayRun = usePermission("automations:create");
  const navigate = useNavigate();
  const path = usePath();
  const toast = useToast();
  const { problem, busy, attempt } = useProblem();
  const retry = useAction("POST /v1/automation-runs/{id}/retry", {
    changes: ["GET /v1/automation-runs"],
    onDone: ({ run: next }) => {
      toast(texts.retried);
      void navigate({ to: path(`/runs/${next.id}`) });
    },
  });
  const isUnsuccessful = hasEnded(run.status) && run.status !== "succeeded";
  return (
    <>
      <Outcome
        run={run}
        action={
          isUnsuccessful &&
          mayRun && (
            <Button
              icon={RotateCcw}
              size="s"
              busy={busy}
              onClick={() => attempt(() => retry.run({ path: { id: run.id } }))}
            >
              {texts.retry}
            </Button>
          )
        }
      />
      <FormProblem problem={problem} />
    </>
  );
}
