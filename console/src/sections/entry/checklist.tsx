import { Check, Terminal } from "lucide-react";
import { useState } from "react";
import type { Reply } from "../../lib/api.ts";
import { usePath } from "../../lib/paths.ts";
import { useRead } from "../../lib/queries.ts";
import { entry } from "../../texts/entry.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { findCommand } from "./commands.ts";
import { stepOrder } from "./steps.tsx";
import "./entry.css";

const texts = entry.checklist;
type Step = Reply<"GET /v1/overview/checklist">["steps"][number];
type StepName = Step["step"];

const places: Record<StepName, string> = {
  discover_server: "/discover",
  connect_account: "/connections/accounts",
  run_automation: "/automations/new",
  connect_repository: "/code-host/connectors",
  invite_someone: "/people/invitations",
};

/** The first steps of an organization. The server knows when a step is done, and the list then shows it as done. */
export function Checklist({ onHide }: { onHide?(): void }) {
  const checklist = useRead("GET /v1/overview/checklist", {}, { everyMs: 10_000 });
  return (
    <Loaded query={checklist} what={texts.what} rows={6}>
      {({ steps, done }) => <Steps steps={steps} done={done} onHide={onHide} />}
    </Loaded>
  );
}

interface StepsProps {
  steps: readonly Step[];
  done: number;
  onHide: (() => void) | undefined;
}

function Steps({ steps, done, onHide }: StepsProps) {
  const next = steps.find((step) => !step.done && step.allowed) ?? steps.find((step) => !step.done);
  const [chosen, setChosen] = useState<StepName>();
  const shown = steps.find(({ step }) => step === chosen) ?? next ?? steps[0]!;
  return (
    <section aria-label={texts.label}>
      <div className="head">
        <div className="grow">
          {/* The first step, the owner, is done by whoever reads this. */}
          <h2 className="checklist-title">
            {texts.title(texts.numbers[done + 1] ?? String(done + 1), texts.all)}
          </h2>
          <p>{texts.lead}</p>
        </div>
        {onHide && (
          <Button look="quiet" size="s" onClick={onHide}>
            {texts.hide}
          </Button>
        )}
      </div>
      <div className="card start">
        <div className="l">
          <ol className="track short">
            <StepRow number={1} title={entry.steps.owner.title} isDone isNow={false} />
            {steps.map(({ step, done: isDone }) => (
              <StepRow
                key={step}
                number={stepOrder.indexOf(step) + 1}
                title={entry.steps[step].title}
                isDone={isDone}
                isNow={step === shown.step}
                onChoose={() => setChosen(step)}
              />
            ))}
          </ol>
        </div>
        <StepPanel step={shown} />
      </div>
    </section>
  );
}

interface StepRowProps {
  number: number;
  title: string;
  isDone: boolean;
  isNow: boolean;
  onChoose?(): void;
}

const StepRow = ({ number, title, isDone, isNow, onChoose }: StepRowProps) => (
  <li className={`${isDone ? "done" : ""}${isNow ? " now" : ""}`}>
    <span className={`sig${isDone ? " done" : isNow ? " now" : ""}`}>
      {isDone ? <Check className="i s" aria-hidden /> : <span aria-hidden>{number}</span>}
      <span className="vh">{isDone ? texts.done : texts.open}</span>
    </span>
    <h3>
      {onChoose ? (
        <button type="button" className="step-name" aria-pressed={isNow} onClick={onChoose}>
          {title}
        </button>
      ) : (
        title
      )}
    </h3>
  </li>
);

function StepPanel({ step: { step, done, allowed, permission } }: { step: Step }) {
  const path = usePath();
  const { title, lead, action } = entry.steps[step];
  const command = findCommand(step, window.location.origin);
  return (
    <div className="now-panel" aria-live="polite">
      <h2>{title}</h2>
      <p className="lead">{done ? `${texts.doneText} ${lead}` : lead}</p>
      {allowed ? (
        <>
          <p>
            <LinkButton look={done ? "secondary" : "primary"} to={path(places[step])}>
              {action}
            </LinkButton>
          </p>
          {command !== undefined && (
            <div className="note">
              <Terminal className="i" aria-hidden />
              <p className="grow">
                {texts.terminal} <code>{command}</code>
              </p>
              <CopyButton value={command} label={texts.copyCommand} />
            </div>
          )}
        </>
      ) : (
        <p className="note">{texts.notAllowed(permission)}</p>
      )}
    </div>
  );
}
