import { Eye, EyeOff, Globe, Trash2 } from "lucide-react";
import { useState } from "react";
import { discover as texts } from "../../texts/discover.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Find } from "../../ui/find.tsx";
import { Tag } from "../../ui/state.tsx";
import type { Result } from "./types.ts";

const { tools: words } = texts;
type Tool = NonNullable<Result["tools"]["items"]>[number];

/** Shorter lists need no search. */
const findFrom = 9;
/** Longer lists are shown on demand. */
const shownFirst = 100;

/** The tools that the server shows, with its own hints about them. */
export function ToolsCard({ tools }: Pick<Result, "tools">) {
  const [find, setFind] = useState("");
  const [isWhole, setIsWhole] = useState(false);
  const items = tools.items ?? [];
  if (items.length === 0)
    return (
      <Card title={words.title}>
        {tools.visibility === "requires_auth" ? (
          <Empty icon={EyeOff} title={words.after} text={words.afterText} />
        ) : (
          <Empty
            icon={EyeOff}
            title={words.none}
            text={tools.visibility === "available_without_auth" ? words.empty : words.noneText}
          />
        )}
      </Card>
    );
  const found = items.filter(({ name }) => name.toLowerCase().includes(find.toLowerCase()));
  const shown = isWhole ? found : found.slice(0, shownFirst);
  return (
    <Card
      title={words.title}
      beside={<span className="t3 small">{words.beside(tools.count ?? items.length)}</span>}
      actions={items.length >= findFrom && <Find value={find} onChange={setFind} label={words.find} />}
    >
      {found.length === 0 && <p className="pad t3">{words.noMatch(find)}</p>}
      <ul className="tools" aria-label={words.title}>
        {shown.map((tool) => (
          <li key={tool.name}>
            <code className="t cut" title={tool.name}>
              {tool.name}
            </code>
            <Hints tool={tool} />
          </li>
        ))}
      </ul>
      {found.length > shown.length && (
        <p className="pad">
          <Button size="s" onClick={() => setIsWhole(true)}>
            {words.showAll(found.length)}
          </Button>
        </p>
      )}
    </Card>
  );
}

/** Whether the server itself says that a tool may destroy something. */
export const isDestructive = ({ readOnlyHint, destructiveHint }: Tool): boolean =>
  readOnlyHint !== true && destructiveHint === true;

function Hints({ tool }: { tool: Tool }) {
  const { readOnlyHint, openWorldHint } = tool;
  const hints = [
    readOnlyHint === true && (
      <Tag key="read" tone="ok" icon={Eye}>
        {words.readOnly}
      </Tag>
    ),
    isDestructive(tool) && (
      <Tag key="destroy" tone="bad" icon={Trash2}>
        {words.destructive}
      </Tag>
    ),
    openWorldHint === true && (
      <Tag key="open" tone="care" icon={Globe}>
        {words.openWorld}
      </Tag>
    ),
  ].filter(Boolean);
  return hints.length > 0 ? hints : <Tag outlined>{words.noHint}</Tag>;
}
