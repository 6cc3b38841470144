import { Fragment, useState } from "react";
import { formatNumber } from "../../../lib/format.ts";
import { runs } from "../../../texts/runs.ts";
import { readText } from "./read-event.ts";

const texts = runs.run.events;
/** Longer messages are opened by a person. */
const shownLength = 3_000;

interface MessageTextProps {
  payload: Record<string, unknown>;
  className?: string;
}

/** A message as text, never as markup. Only names between backquotes get the font of code. */
export function MessageText({ payload, className = "say" }: MessageTextProps) {
  const [isWhole, setIsWhole] = useState(false);
  const text = readText(payload);
  if (text === undefined) return <pre className="code">{JSON.stringify(payload, null, 2)}</pre>;
  const shown = isWhole || text.length <= shownLength ? text : `${text.slice(0, shownLength)}…`;
  return (
    <>
      <p className={`${className} message`}>{markNames(shown)}</p>
      {shown.length !== text.length && text.length > shownLength && !isWhole && (
        <button type="button" className="link bare-link" onClick={() => setIsWhole(true)}>
          {texts.showAll(formatNumber(text.length))}
        </button>
      )}
      {payload.cut === true && <p className="small t3">{texts.cut}</p>}
    </>
  );
}

function markNames(text: string) {
  if (!text.includes("`")) return text;
  return text.split(/`([^`\n]+)`/).map((part, i) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move.
    i % 2 === 1 ? <code key={i}>{part}</code> : <Fragment key={i}>{part}</Fragment>,
  );
}
