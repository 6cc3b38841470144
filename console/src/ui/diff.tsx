import { diffLines } from "../lib/diff.ts";

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
