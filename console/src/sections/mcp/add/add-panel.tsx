import { Radar, Square } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { usePermission } from "../../../lib/context.tsx";
import { useFilters } from "../../../lib/paths.ts";
import { useRead } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { FormProblem, TextField } from "../../../ui/form.tsx";
import { Inspector } from "../../../ui/page.tsx";
import { State } from "../../../ui/state.tsx";
import "../../discover/discover.css";
import { EvidenceCard } from "../../discover/evidence.tsx";
import { useDiscovery } from "../../discover/use-discovery.ts";
import { describeVerdict, isRedacted } from "../../discover/verdict-words.ts";
import { findHost, type Result } from "../types.ts";
import type { DraftState } from "./draft.ts";
import { NewConnectionForm } from "./new-connection-form.tsx";

const { addServer: words } = texts;

interface AddPanelProps {
  draft: DraftState;
  onClose(): void;
}

/** Adds a server: its address, what was found out about it, and what a person decides. */
export function AddPanel({ draft, onClose }: AddPanelProps) {
  const { value, set } = draft;
  const mayDiscover = usePermission("mcp:discover");
  const [problem, setProblem] = useState<string>();
  const { attempt, begin, stop, clear } = useDiscovery((discovery) => set({ discovery, choices: undefined }));
  useKeptVerdict(draft);
  const isAsking = attempt?.state === "asking";
  const result: Result | undefined = attempt
    ? undefined
    : (value.choices?.verdict ?? value.discovery?.result);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const url = value.url.trim();
    const isWrong = !/^https?:\/\/[^\s]+$/i.test(url);
    setProblem(isWrong ? words.begin : undefined);
    if (isWrong || isAsking) return;
    set({
      url,
      discovery: undefined,
      choices: undefined,
      registration: undefined,
      authorizationServer: undefined,
    });
    void begin(url);
  };
  return (
    <Inspector title={words.title} lead={words.lead} onClose={onClose}>
      <form className="form wide" onSubmit={submit} noValidate>
        <TextField
          label={words.url}
          hint={words.urlHint}
          {...(problem ? { error: problem } : {})}
          type="url"
          inputMode="url"
          mono
          autoFocus
          autoComplete="off"
          spellCheck={false}
          value={value.url}
          onChange={(url) => {
            // What was found out is about the address that was asked.
            set(url === value.url ? {} : { url, discovery: undefined, choices: undefined });
            if (attempt) clear();
          }}
        />
        {mayDiscover && (
          <div className="form-acts">
            {isAsking ? (
              <Button icon={Square} onClick={stop}>
                {words.stop}
              </Button>
            ) : (
              <Button type="submit" icon={Radar} look={result ? "secondary" : "primary"}>
                {result ? words.discoverAgain : words.discover}
              </Button>
            )}
          </div>
        )}
      </form>
      {attempt?.state === "asking" && <p role="status">{words.asking(findHost(attempt.url))}</p>}
      {attempt?.state === "stopped" && <p className="note">{words.stopped}</p>}
      {attempt?.state === "failed" && <FormProblem problem={attempt.problem} />}
      {attempt && (
        <EvidenceCard
          url={attempt.url}
          steps={attempt.steps}
          {...(attempt.state === "asking" ? { begunAt: attempt.begunAt } : {})}
        />
      )}
      {result && <Verdict url={value.url} result={result} />}
      {(result || (!mayDiscover && !attempt)) && (
        <NewConnectionForm draft={draft} result={result} onSaved={draft.clear} />
      )}
    </Inspector>
  );
}

function Verdict({ url, result }: { url: string; result: Result }) {
  const { title, text } = describeVerdict(url, result);
  return (
    <section className="field verdict-line" aria-label={words.verdict}>
      <p className="row wrap">
        <State kind="verdict" value={result.status} boxed />
        <span className="t strong">{title}</span>
      </p>
      {text !== "" && <p>{text}</p>}
    </section>
  );
}

/** A link from a kept verdict fills in the form with it. */
function useKeptVerdict({ value, start }: DraftState): void {
  const { filters } = useFilters();
  const { discovery: id, url } = filters;
  const query = useRead(
    "GET /v1/mcp-discoveries/{id}",
    { path: { id: id ?? "" } },
    { enabled: id !== undefined && value.discovery?.id !== id },
  );
  const taken = useRef<string>(undefined);
  const kept = query.data?.discovery;
  useEffect(() => {
    const isUntouched = value.discovery === undefined && value.choices === undefined;
    if (id === undefined && url && taken.current !== url && isUntouched) {
      taken.current = url;
      start({ url });
    }
    if (!kept || kept.id !== id || taken.current === id) return;
    taken.current = id;
    // A kept address without its credential is not the address of the server.
    start(isRedacted(kept.url) ? {} : { url: kept.url, discovery: kept });
  });
}
