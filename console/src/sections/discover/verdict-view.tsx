import { LoaderCircle, TriangleAlert } from "lucide-react";
import { type ReactNode, useState } from "react";
import { discover as texts } from "../../texts/discover.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Json } from "../../ui/code.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Tag } from "../../ui/state.tsx";
import { findState } from "../../ui/states.ts";
import { EvidenceCard } from "./evidence.tsx";
import { exportDiscovery } from "./export.ts";
import { NeededCard } from "./needed.tsx";
import { ServersCard } from "./servers.tsx";
import { ToolsCard } from "./tools.tsx";
import type { Result, ShownDiscovery, Step } from "./types.ts";
import { describeVerdict, listFacts } from "./verdict-words.ts";

interface HeadProps {
  tone: "ok" | "care" | "bad" | "none" | "wait";
  icon: ReactNode;
  title: string;
  text: ReactNode;
  facts?: readonly (readonly [string, ReactNode])[];
  actions?: ReactNode;
}

/** The answer in one sentence, with the facts behind it. */
export const VerdictHead = ({ tone, icon, title, text, facts = [], actions }: HeadProps) => (
  <section className={`verdict ${tone}`} aria-live="polite">
    <span className={`lens${tone === "wait" ? " live" : ""}`}>{icon}</span>
    <div>
      <h1>{title}</h1>
      {text && <p className="breaks">{text}</p>}
    </div>
    <div className="row acts">{actions}</div>
    {facts.length > 0 && (
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="breaks">{value}</dd>
          </div>
        ))}
      </dl>
    )}
  </section>
);

interface ViewProps {
  discovery: ShownDiscovery;
  /** Buttons beside the verdict. */
  actions?: ReactNode;
  moreFacts?: readonly (readonly [string, ReactNode])[];
  onDiscover?(url: string): void;
}

/** A verdict with everything that led to it. */
export function VerdictView({ discovery, actions, moreFacts = [], onDiscover }: ViewProps) {
  const { url, result, evidence, durationMs } = discovery;
  const [isJson, setIsJson] = useState(false);
  const { tone, icon: Icon } = findState("verdict", result.status);
  const { title, text } = describeVerdict(url, result);
  const hasChoice = result.manualRequirements.some(({ code }) => code === "authorization_server_selection");
  const steps: readonly Step[] = evidence.map((item) => ({ ...item, state: "interpreted" }));
  const isReached = result.status !== "unreachable";
  return (
    <>
      <VerdictHead
        tone={tone === "live" ? "none" : tone}
        icon={<Icon className="i l" aria-hidden />}
        title={title}
        text={text}
        facts={[...(isReached ? listFacts(result) : []), ...moreFacts]}
        actions={actions}
      />
      <div className="cols disc">
        <div className="stack">
          <NeededCard result={result} {...(onDiscover ? { onDiscover } : {})} />
          {isReached && <ToolsCard tools={result.tools} />}
          <WarningsCard result={result} />
          {isReached && !hasChoice && <ServersCard authentication={result.authentication} />}
        </div>
        <div className="stack">
          <EvidenceCard url={url} steps={steps} durationMs={durationMs} onJson={() => setIsJson(true)} />
        </div>
      </div>
      <Dialog open={isJson} onClose={() => setIsJson(false)} title={texts.evidence.jsonTitle} width="l">
        <Json value={{ ...result, evidence }} title={url} />
        <footer className="row dlg-acts">
          <Button onClick={() => exportDiscovery(discovery)}>{texts.evidence.download}</Button>
        </footer>
      </Dialog>
    </>
  );
}

/** What was seen and matters. A verdict without requirements says it in its head already. */
function WarningsCard({ result: { status, warnings } }: { result: Result }) {
  if (warnings.length === 0 || status === "unsupported" || status === "unreachable") return null;
  return (
    <Card title={texts.warnings.title}>
      <ul>
        {warnings.map(({ code, message }) => (
          <li key={`${code} ${message}`} className="item">
            <TriangleAlert className="i care" aria-hidden />
            <div className="grow">
              <p className="breaks">{message}</p>
              <Tag mono outlined>
                {code}
              </Tag>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The place of the checklist while the discovery is under way. */
export const NeededBones = () => (
  <Card title={texts.needed.title}>
    {[1, 2].map((i) => (
      <div key={i} className="step" aria-hidden>
        <span className="n ghost" />
        <div className="lines">
          <i className="x1" />
          <i className="x2" />
          <i className="x3" />
        </div>
      </div>
    ))}
  </Card>
);

export const AskingIcon = () => <LoaderCircle className="i l spin" aria-hidden />;
