import { codeHost as texts } from "../../texts/code-host.ts";
import type { Sync } from "./types.ts";

const { sync: words } = texts;

/** What a sync changed: "1 added, 2 changed". All four counts in the long form. */
export function Changes({ changes, long = false }: { changes: Sync["changes"]; long?: boolean }) {
  if (changes === null) return <span className="t3">{texts.syncs.none}</span>;
  const { added, changed, removed, unchanged } = changes;
  const parts = [
    { key: "added", text: words.added(added), tone: "ok", n: added },
    { key: "changed", text: words.changed(changed), tone: "t", n: changed },
    { key: "removed", text: words.removed(removed), tone: "bad", n: removed },
    { key: "unchanged", text: words.unchanged(unchanged), tone: "t3", n: unchanged },
  ];
  const shown = long ? parts : parts.filter(({ key, n }) => n > 0 && key !== "unchanged");
  const listed = shown.length > 0 ? shown : parts.slice(3);
  return (
    <span className="changes">
      {listed.map(({ key, text, tone, n }) => (
        <span key={key} className={n > 0 ? tone : "t3"}>
          {text}
        </span>
      ))}
    </span>
  );
}
