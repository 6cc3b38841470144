import { diffLines, diffMarked } from "../lib/diff.ts";
import { showInvisible } from "../lib/invisible.ts";

/** What changed between two texts, line by line. Long unchanged parts are left out. */
export const Diff = ({ before, after }: { before: string; after: string }) => (
  <div className="diff">
    {diffLines(before, after).map((line, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff never move.
      <div key={i} className={line.kind === "same" ? "" : line.kind}>
        <span>{line.kind === "gap" ? "⋯" : line.text}</span>
      </div>
    ))}
  </div>
);

/** Like `Diff`, with the words that changed marked, and characters that cannot be seen written out. */
export const MarkedDiff = ({ before, after }: { before: string; after: string }) => (
  <div className="diff">
    {diffMarked(showInvisible(before), showInvisible(after)).map(({ kind, parts }, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff never move.
      <div key={i} className={kind === "same" ? "" : kind}>
        <span className="wrap-text">
          {kind === "gap"
            ? "⋯"
            : // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a line never move.
              parts.map((part, at) => (part.isChanged ? <mark key={at}>{part.text}</mark> : part.text))}
        </span>
      </div>
    ))}
  </div>
);
