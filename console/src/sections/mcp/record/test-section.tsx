import { CircleCheck, CircleX, FlaskConical } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Reply } from "../../../lib/api.ts";
import { formatDuration } from "../../../lib/format.ts";
import { useAction } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { Refusal } from "../../../ui/refusal.tsx";
import { Lamp } from "../../../ui/state.tsx";
import { changed } from "../types.ts";

const { test: words } = texts;
const operation = "POST /v1/mcp-connections/{id}/test" as const;
type Test = Reply<typeof operation>["test"];

interface TestSectionProps {
  connectionId: string;
  /** The button in the bar starts the test and shows it here. */
  startsNow: boolean;
}

/** Tries the connection step by step. No tool is called. */
export function TestSection({ connectionId, startsNow }: TestSectionProps) {
  const [test, setTest] = useState<Test>();
  const run = useAction(operation, { changes: changed, onDone: (reply) => setTest(reply.test) });
  const begin = () => run.start({ path: { id: connectionId } });
  const isStarted = useRef(false);
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!startsNow || isStarted.current) return;
    isStarted.current = true;
    begin();
    section.current?.scrollIntoView({ block: "nearest" });
  });
  const failed = test?.steps.find(({ ok }) => !ok);
  return (
    <section ref={section} className="field">
      <div className="row">
        <h3 className="sub-title grow">{words.title}</h3>
        <Button size="s" icon={FlaskConical} busy={run.isRunning} onClick={begin}>
          {test ? words.again : words.title}
        </Button>
      </div>
      <div role="status">
        {run.isRunning && <p className="t3">{words.running}</p>}
        {test && !run.isRunning && (
          <p className={`row ${test.ok ? "ok" : "bad"}`}>
            {test.ok ? <CircleCheck className="i s" aria-hidden /> : <CircleX className="i s" aria-hidden />}
            {failed ? words.failed((words.steps[failed.step] ?? failed.step).toLowerCase()) : words.ok}
          </p>
        )}
      </div>
      {test && !run.isRunning && (
        <ol className="steps3">
          {test.steps.map(({ step, ok, ms, code, message }) => (
            <li key={step}>
              <Lamp tone={ok ? "ok" : "bad"} />
              <div>
                <p className="strong">{words.steps[step] ?? step}</p>
                <p className="wrap-any">{message}</p>
                {code !== undefined && <code className="small t3">{code}</code>}
              </div>
              <span className="mono t3">{formatDuration(ms)}</span>
            </li>
          ))}
        </ol>
      )}
      <Refusal of={run} />
    </section>
  );
}
