import type { AutomationRunAttempt } from "@signalbox/client";
import { runs } from "../../../texts/runs.ts";
import { State } from "../../../ui/state.tsx";
import { Duration } from "../../../ui/time.tsx";

const texts = runs.run.attempts;

/** The states of attempts, in the colours of runs. */
const states: Record<string, string> = { lease_lost: "skipped", timed_out: "failed" };

export const AttemptsSection = ({ attempts }: { attempts: readonly AutomationRunAttempt[] }) => (
  <section>
    <h2>{texts.title}</h2>
    {attempts.length === 0 && <p className="t3">{texts.none}</p>}
    <ol className="attempts">
      {attempts.map(({ attempt, runnerId, startedAt, endedAt, outcome }) => (
        <li key={attempt}>
          <div className="row">
            <span className="num t3">{attempt}</span>
            <span className="grow cut t">{runnerId ?? texts.person}</span>
            <span className="t3">
              <Duration from={startedAt} to={endedAt} />
            </span>
          </div>
          <State
            kind="run"
            value={outcome === null ? "running" : (states[outcome] ?? outcome)}
            word={outcome === null ? texts.running : (texts.outcomes[outcome] ?? outcome)}
          />
        </li>
      ))}
    </ol>
    <p className="small t3 lease">{texts.hint}</p>
  </section>
);
