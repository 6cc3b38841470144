import type { AutomationRunWithNames } from "@signalbox/client";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { formatDuration } from "../../../lib/format.ts";
import { usePath } from "../../../lib/paths.ts";
import { runs } from "../../../texts/runs.ts";
import { Pairs } from "../../../ui/card.tsx";
import { Avatar } from "../../../ui/state.tsx";
import { Id, Time } from "../../../ui/time.tsx";

const texts = runs.run.details;

interface DetailsSectionProps {
  run: AutomationRunWithNames;
  maxRuntimeSeconds: number;
}

export function DetailsSection({ run, maxRuntimeSeconds }: DetailsSectionProps) {
  const path = usePath();
  return (
    <section>
      <h2>{texts.title}</h2>
      <Pairs
        items={[
          [texts.run, <Id key="run" id={run.id} />],
          [
            texts.automation,
            <span key="automation">
              <Link className="link" to={path(`/automations/${run.automationId}`)}>
                {run.automationName}
              </Link>{" "}
              <span className="t3">{texts.revision(run.automationRevision)}</span>
            </span>,
          ],
          [
            texts.owner,
            <span key="owner" className="row">
              {run.memberName && <Avatar name={run.memberName} size="s" />}
              {run.memberName ?? texts.left}
            </span>,
          ],
          run.occurrenceAt !== null && [texts.due, <Time key="due" at={run.occurrenceAt} form="date" />],
          run.runnerName !== null && [texts.runner, run.runnerName],
          run.leaseExpiresAt !== null && [texts.lease, <Lease key="lease" until={run.leaseExpiresAt} />],
          [texts.limit, formatDuration(maxRuntimeSeconds * 1000)],
          run.startedAt !== null && [
            texts.waited,
            texts.waitedFor(formatDuration(Math.max(0, run.startedAt - run.createdAt))),
          ],
          run.retryOf !== null && [
            texts.retryOf,
            <Link key="retry" className="link mono" to={path(`/runs/${run.retryOf}`)}>
              {`…${run.retryOf.slice(-6)}`}
            </Link>,
          ],
          run.sessionId !== null && [texts.session, <code key="session">{run.sessionId}</code>],
          run.workspaceId !== null && [texts.workspace, <code key="workspace">{run.workspaceId}</code>],
          run.lateReports > 0 && [texts.late, texts.lateHint(run.lateReports)],
        ]}
      />
    </section>
  );
}

/** How long the runner may stay silent. Counts down every second. */
function Lease({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const left = until - now;
  return (
    <span className="num">
      {left > 0 ? texts.leaseLeft(formatDuration(Math.max(1000, left))) : texts.leaseOver}
    </span>
  );
}
