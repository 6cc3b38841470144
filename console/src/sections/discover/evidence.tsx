import { Braces, ChevronDown, ChevronRight, LoaderCircle } from "lucide-react";
import { useEffect, useState } from "react";
import { formatDuration } from "../../lib/format.ts";
import { discover as texts } from "../../texts/discover.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Tag } from "../../ui/state.tsx";
import type { Step } from "./types.ts";
import { findHost } from "./verdict-words.ts";

interface EvidenceProps {
  /** The address that was discovered. Requests to the same host show their path only. */
  url: string;
  steps: readonly Step[];
  /** While the discovery is under way: when it began. */
  begunAt?: number;
  durationMs?: number;
  onJson?(): void;
}

/** The requests of a discovery on one time line, and the rule that each answer decided by. */
export function EvidenceCard({ url, steps, begunAt, durationMs, onJson }: EvidenceProps) {
  const elapsed = useElapsed(begunAt);
  const end = Math.max(1, ...steps.map(({ startedMs, ms }) => startedMs + (ms ?? 0)), elapsed ?? 0);
  const duration =
    elapsed === undefined ? formatDuration(durationMs ?? end) : texts.asking.elapsed(formatDuration(elapsed));
  return (
    <Card
      title={texts.evidence.title}
      beside={<span className="t3 small num">{texts.evidence.requests(steps.length, duration)}</span>}
      actions={
        onJson && (
          <Button look="quiet" size="s" icon={Braces} onClick={onJson}>
            {texts.evidence.json}
          </Button>
        )
      }
    >
      {steps.length === 0 ? (
        <p className="pad t3">{texts.evidence.none}</p>
      ) : (
        <ol className="ev" aria-label={texts.evidence.title}>
          {steps.map((step, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the position is the identity of a request.
            <EvidenceRow key={i} host={findHost(url)} step={step} end={end} elapsed={elapsed} />
          ))}
        </ol>
      )}
    </Card>
  );
}

interface RowProps {
  host: string;
  step: Step;
  end: number;
  elapsed: number | undefined;
}

function EvidenceRow({ host, step, end, elapsed }: RowProps) {
  const hasDecided = (step.decided?.length ?? 0) > 0;
  const [chosen, setChosen] = useState<boolean>();
  const isOpen = chosen ?? hasDecided;
  const isWaiting = step.state === "sent" && elapsed !== undefined;
  const ms = step.ms ?? (isWaiting ? Math.max(0, elapsed - step.startedMs) : 0);
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <li className={isOpen && step.rule ? "open" : ""}>
      <button
        type="button"
        className="top"
        aria-expanded={step.rule ? isOpen : undefined}
        onClick={() => setChosen(!isOpen)}
      >
        <Code step={step} isWaiting={isWaiting} />
        <span className="cut">
          <span className="strong">{texts.evidence.steps[step.step] ?? step.step}</span>{" "}
          <span className="mono t3" title={`${step.method} ${step.url}`}>
            {shortenAddress(step.url, host)}
          </span>
        </span>
        <span className={`mono ${isWaiting ? "live" : "t3"}`}>{describeTime(step, isWaiting)}</span>
        {step.rule ? <Chevron className="i s t3" aria-hidden /> : <span />}
      </button>
      <svg className="wf" viewBox="0 0 300 4" preserveAspectRatio="none" aria-hidden="true">
        <rect width="300" height="4" rx="2" />
        <rect
          className={`b${isWaiting ? " live-b" : hasDecided ? " key-b" : ""}`}
          x={(step.startedMs / end) * 300}
          width={Math.max(3, (ms / end) * 300)}
          height="4"
          rx="2"
        />
      </svg>
      <p className={hasDecided ? "" : "t3"}>{step.learned ?? describeWaiting(step)}</p>
      {isOpen && step.rule && (
        <>
          <p className="rule">{step.rule}</p>
          {hasDecided && (
            <div className="dec">
              <span className="small t3">{texts.evidence.decided}</span>
              {step.decided!.map((field) => (
                <Tag key={field} mono outlined>
                  {field}
                </Tag>
              ))}
            </div>
          )}
        </>
      )}
    </li>
  );
}

function Code({ step: { status }, isWaiting }: { step: Step; isWaiting: boolean }) {
  if (isWaiting)
    return (
      <span className="live">
        <LoaderCircle className="i s spin" aria-hidden />
      </span>
    );
  if (status === undefined) return <span className="code-s t3">–</span>;
  const tone = status < 300 ? "ok" : status === 401 || status === 403 ? "care" : "t3";
  return <span className={`code-s ${tone}`}>{status}</span>;
}

function describeTime({ failure, ms, status }: Step, isWaiting: boolean): string {
  if (isWaiting) return texts.asking.waiting;
  if (failure === "abandoned") return texts.evidence.abandoned;
  if (ms === undefined) return "";
  if (failure !== undefined && status === undefined && ms < 1) return texts.evidence.refused;
  return formatDuration(ms);
}

const describeWaiting = ({ state, step }: Step): string =>
  state === "sent" ? (texts.evidence.questions[step] ?? "") : texts.evidence.answered;

/** The path on the same host, otherwise the host: `/mcp`, `id.example.com`. */
function shortenAddress(url: string, host: string): string {
  const parsed = URL.parse(url);
  if (!parsed) return url;
  return parsed.host === host ? parsed.pathname + parsed.search : parsed.host;
}

/** Milliseconds since `begunAt`, renewed often enough to look steady. */
function useElapsed(begunAt: number | undefined): number | undefined {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (begunAt === undefined) return;
    const timer = setInterval(() => setNow(Date.now()), 100);
    return () => clearInterval(timer);
  }, [begunAt]);
  return begunAt === undefined ? undefined : Math.max(0, now - begunAt);
}
