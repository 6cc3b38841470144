import { ArrowRight, Braces, CircleHelp, Eye, Pencil, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { mcp as texts } from "../../../texts/mcp.ts";
import { IconButton } from "../../../ui/button.tsx";
import { MarkedDiff } from "../../../ui/diff.tsx";
import { Tag } from "../../../ui/state.tsx";
import type { Tone } from "../../../ui/states.ts";
import type { Drift } from "../types.ts";
import { listFlips, listParts, readEffect, writeDefinition } from "./definition.ts";

const { drift: words } = texts;
const tones: Record<Drift["severity"], Tone> = { high: "bad", medium: "care", low: "none" };

/** The name of a change for people: the tool, or the instructions. */
const nameDrift = ({ tool }: Drift): string => tool ?? words.instructions;

/** Servers name their tools as they like, so a tool can have the name that the instructions have here. */
export const createDriftKey = (drift: Drift): string => `${drift.subject} ${nameDrift(drift)}`;

interface ChangeCardProps {
  drift: Drift;
  isChosen: boolean;
  onChoose(isChosen: boolean): void;
}

/** One changed tool: what changed, before and after. */
export function ChangeCard({ drift, isChosen, onChoose }: ChangeCardProps) {
  const { kinds, severity, before, after, subject, callsLastDay, renamedFrom, accounts, otherVariants } =
    drift;
  const [isWhole, setIsWhole] = useState(false);
  const id = useId();
  const name = nameDrift(drift);
  return (
    <section className="chg" aria-label={name}>
      <header>
        <input
          id={id}
          type="checkbox"
          className="check"
          checked={isChosen}
          aria-label={words.approve(name)}
          onChange={(event) => onChoose(event.target.checked)}
        />
        <label htmlFor={id} className="chg-name">
          {subject === "tool" ? (
            <code className="t strong wrap-any">{name}</code>
          ) : (
            <span className="t strong">{name}</span>
          )}
        </label>
        {kinds.map((kind, i) => (
          <Tag key={kind} tone={i === 0 ? tones[severity] : "none"}>
            {words.kinds[kind]}
          </Tag>
        ))}
        <span className="grow" />
        {subject === "tool" && (
          <span className="small t3 chg-calls no-phone">{words.calls(callsLastDay)}</span>
        )}
        {before !== null && after !== null && (
          <IconButton
            icon={Braces}
            label={isWhole ? words.hideWhole : words.whole}
            aria-expanded={isWhole}
            onClick={() => setIsWhole(!isWhole)}
          />
        )}
      </header>
      {accounts !== null && <p className="flip small">{words.accounts(accounts, otherVariants)}</p>}
      {renamedFrom !== null && <p className="flip small">{words.renamedFrom(renamedFrom)}</p>}
      {subject === "instructions" ? <Instructions drift={drift} /> : <Changes drift={drift} />}
      {isWhole && (
        <>
          <h3 className="chg-field">{words.whole}</h3>
          <MarkedDiff before={writeDefinition(before)} after={writeDefinition(after)} />
        </>
      )}
    </section>
  );
}

function Changes({ drift: { before, after, kinds } }: { drift: Drift }) {
  const parts = listParts(before, after);
  const isHintFlipped = before !== null && after !== null && kinds.includes("hint_flipped");
  return (
    <>
      {before === null && <p className="flip small">{words.newTool}</p>}
      {after === null && <p className="flip small">{words.goneTool}</p>}
      {isHintFlipped && <Flip before={before.annotations} after={after.annotations} />}
      {parts.map((part) => (
        <div key={part.field}>
          {(parts.length > 1 || isHintFlipped) && <h3 className="chg-field">{words.fields[part.field]}</h3>}
          <MarkedDiff before={part.before} after={part.after} />
        </div>
      ))}
    </>
  );
}

/** The server's instructions, which come as one text. */
function Instructions({ drift: { changes } }: { drift: Drift }) {
  const [change] = changes;
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return <MarkedDiff before={text(change?.before)} after={text(change?.after)} />;
}

type Hints = Record<string, unknown> | undefined;

const effects = {
  reads: { icon: Eye, tone: "none", label: words.readsOnly },
  destroys: { icon: Trash2, tone: "bad", label: words.destroys },
  writes: { icon: Pencil, tone: "none", label: words.writes },
  unknown: { icon: CircleHelp, tone: "none", label: words.noHint },
} as const;

function Flip({ before, after }: { before: Hints; after: Hints }) {
  return (
    <div className="flip wrap">
      <Effect of={before} />
      <ArrowRight className="i s t3" aria-hidden />
      <Effect of={after} />
      <span className="small t3">
        {listFlips(before, after)
          .map(({ hint, value }) =>
            value === undefined ? words.hintGone(hint) : words.hintNow(hint, String(value)),
          )
          .join(", ")}
      </span>
    </div>
  );
}

function Effect({ of }: { of: Hints }) {
  const { icon, tone, label } = effects[readEffect(of)];
  return (
    <Tag icon={icon} tone={tone} outlined={tone === "none"}>
      {label}
    </Tag>
  );
}
