import type { AutomationRunWithNames } from "@signalbox/client";
import { CircleAlert, CircleCheck, CircleSlash2, Clock3 } from "lucide-react";
import type { ReactNode } from "react";
import { runs } from "../../texts/runs.ts";

/** Why a run is in its state, in a sentence. Undefined when there is nothing to explain. */
function describeReason({ status, reason, reasonDetail, error }: AutomationRunWithNames) {
  const sentence = reason === null ? undefined : runs.reasons[`${status} ${reason}`];
  const detail = error?.message ?? reasonDetail ?? undefined;
  return sentence === undefined && detail === undefined
    ? undefined
    : { sentence: sentence ?? detail!, detail };
}

/** What came out of the run, or why it stopped, and what to do next. */
export function Outcome({ run, action }: { run: AutomationRunWithNames; action?: ReactNode }) {
  const why = describeReason(run);
  if (run.status === "succeeded" && run.resultSummary)
    return (
      <div className="note outcome">
        <CircleCheck className="i ok" aria-hidden />
        <p className="grow message">{run.resultSummary}</p>
      </div>
    );
  if (!why || run.status === "running") return null;
  const tone = run.status === "failed" ? "bad" : run.status === "skipped" ? "care" : "";
  const Icon = run.status === "failed" ? CircleAlert : run.status === "queued" ? Clock3 : CircleSlash2;
  return (
    <div className={`note outcome ${tone}`}>
      <Icon className="i" aria-hidden />
      <div className="grow">
        <p className="strong">{why.sentence}</p>
        {why.detail !== undefined && why.detail !== why.sentence && <p className="message">{why.detail}</p>}
        {run.resultSummary && <p className="message">{run.resultSummary}</p>}
      </div>
      {action}
    </div>
  );
}
