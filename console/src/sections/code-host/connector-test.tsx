import { CircleCheck, CircleDashed, CircleX } from "lucide-react";
import { codeHost as texts } from "../../texts/code-host.ts";
import { Card } from "../../ui/card.tsx";
import { ProblemList } from "./problem-list.tsx";
import type { Test } from "./types.ts";

const { check: words } = texts;
const looks = {
  passed: { icon: CircleCheck, tone: "ok" },
  failed: { icon: CircleX, tone: "bad" },
  skipped: { icon: CircleDashed, tone: "t3" },
} as const;

/** The result of a test, step by step. */
export const ConnectorTest = ({ test }: { test: Test }) => (
  <Card title={words.title}>
    <div className="pad stack" role="status">
      <p className={`strong ${test.ok ? "ok" : "bad"}`}>
        {test.ok ? words.ok(test.templateCount) : words.failed}
      </p>
      <ul className="lined">
        {test.checks.map(({ name, status, message }) => {
          const { icon: Icon, tone } = looks[status];
          return (
            <li key={name} className="row top-row">
              <Icon className={`i ${tone}`} aria-hidden />
              <span className="grow">
                <span className="strong">{words.steps[name]}</span>
                <span className="vh">{words.words[status]}</span>
                <span className="small t3 block breaks">{message}</span>
              </span>
            </li>
          );
        })}
      </ul>
      <ProblemList problems={test.problems} title={words.problems(test.problems.length)} />
    </div>
  </Card>
);
