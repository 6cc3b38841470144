import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, CircleDashed, CircleX, type LucideIcon } from "lucide-react";
import { usePath } from "../../../lib/paths.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { FormProblem } from "../../../ui/form.tsx";
import type { Choices, Draft } from "../add/draft.ts";
import type { Preview } from "./import-dialog.tsx";
import type { ImportBody, ImportResult, useImport } from "./use-import.ts";

const { importing: words } = texts;

const looks: Record<ImportResult["outcome"] | "waiting", { icon: LucideIcon; tone: string }> = {
  waiting: { icon: CircleDashed, tone: "t3" },
  started: { icon: CircleDashed, tone: "live" },
  saved: { icon: CircleCheck, tone: "ok" },
  exists: { icon: CircleCheck, tone: "t3" },
  choice_required: { icon: CircleAlert, tone: "care" },
  refused: { icon: CircleX, tone: "bad" },
};

interface ResultStepProps {
  items: ImportBody["items"];
  preview: Preview;
  imports: ReturnType<typeof useImport>;
  onClose(): void;
  onDecide(draft: Partial<Draft>): void;
  onBack(): void;
}

/** What became of each server, as it happens. */
export function ResultStep({ items, preview, imports, onClose, onDecide, onBack }: ResultStepProps) {
  const { results, state, problem } = imports;
  const all = Object.values(results);
  const saved = all.filter(({ outcome }) => outcome === "saved").length;
  return (
    <div className="form">
      <ul className="lined" aria-label={words.title}>
        {items.map((item, index) => (
          <li key={item.key ?? item.url}>
            <ResultRow
              name={preview.items.find(({ key }) => key === item.key)?.name ?? item.key ?? ""}
              result={results[index]}
              onDecide={onDecide}
            />
          </li>
        ))}
      </ul>
      <p role="status">{state === "done" && !problem && words.done(saved, items.length - saved)}</p>
      <FormProblem problem={problem} />
      <footer className="row dlg-acts">
        {problem && <Button onClick={onBack}>{words.change}</Button>}
        <span className="grow" />
        <Button look="primary" busy={state === "running"} onClick={onClose}>
          {words.close}
        </Button>
      </footer>
    </div>
  );
}

interface ResultRowProps {
  name: string;
  result: ImportResult | undefined;
  onDecide(draft: Partial<Draft>): void;
}

function ResultRow({ name, result, onDecide }: ResultRowProps) {
  const path = usePath();
  const outcome = result?.outcome ?? "waiting";
  const { icon: Icon, tone } = looks[outcome];
  const choices = result?.error?.choices as Choices | undefined;
  return (
    <div className="stack-s import-result">
      <div className="row">
        <span className="grow cut t strong">{name}</span>
        <span className={`row ${tone}`}>
          <Icon className="i s" aria-hidden />
          {words.outcomes[outcome]}
        </span>
        {result?.connectionId && (
          <Link className="link" to={path(`/connections/mcp/${result.connectionId}`)}>
            {words.open}
          </Link>
        )}
        {outcome === "choice_required" && choices && (
          <Button size="s" onClick={() => onDecide({ url: result?.url ?? "", name, choices })}>
            {words.decide}
          </Button>
        )}
      </div>
      {result?.error && outcome !== "choice_required" && (
        <p className="small wrap-any">{result.error.message ?? result.error.error}</p>
      )}
    </div>
  );
}
