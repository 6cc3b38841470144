import { Wallet } from "lucide-react";
import { formatCost } from "../../lib/format.ts";
import { useList } from "../../lib/queries.ts";
import { usage } from "../../texts/usage.ts";
import { Card } from "../../ui/card.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { LoadedList } from "../../ui/loaded-list.tsx";
import { Tag } from "../../ui/state.tsx";
import { Time } from "../../ui/time.tsx";

const texts = usage.budgets;
const tones = { within: "none", warned: "care", exceeded: "bad" } as const;

/** All budgets, with what is spent of each. */
export function BudgetsCard() {
  const budgets = useList("GET /v1/llm-budgets", { query: { limit: 100 } }, { everyMs: 30_000 });
  return (
    <Card title={texts.title}>
      <LoadedList list={budgets} what={texts.what}>
        {(items) =>
          items.length === 0 ? (
            <Empty icon={Wallet} title={texts.none} text={texts.noneText} />
          ) : (
            <ul>
              {items.map(({ id, subject, period, mode, limitMicros, spentMicros, state, resetsAt }) => (
                <li key={id} className="item budget">
                  <div className="grow">
                    <div className="row">
                      <span className="strong cut">{subject.name ?? texts.kinds[subject.kind]}</span>
                      <span className="t3 small">{texts.kinds[subject.kind]}</span>
                      <span className="grow" />
                      {state !== "within" && (
                        <Tag tone={tones[state as keyof typeof tones] ?? "none"}>
                          {texts.states[state] ?? state}
                        </Tag>
                      )}
                    </div>
                    <progress
                      className={state === "within" ? "" : "care"}
                      max={1}
                      value={Math.min(1, limitMicros > 0 ? spentMicros / limitMicros : 1)}
                      aria-label={texts.of(formatCost(spentMicros), formatCost(limitMicros))}
                    />
                    <p className="small t3 num">
                      {texts.of(formatCost(spentMicros), formatCost(limitMicros))}{" "}
                      {texts.periods[period] ?? period} · {texts.modes[mode] ?? mode} · {texts.resets}{" "}
                      <Time at={resetsAt} form="date" />
                    </p>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </LoadedList>
    </Card>
  );
}
