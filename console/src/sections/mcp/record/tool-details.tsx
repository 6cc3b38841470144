import { useState } from "react";
import { writeCompactJson } from "../../../lib/compact-json.ts";
import { escapeInvisible, showInvisible } from "../../../lib/invisible.ts";
import { listParameters } from "../../../lib/json-schema.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Pairs } from "../../../ui/card.tsx";
import { Code } from "../../../ui/code.tsx";
import { CopyText } from "../../../ui/copy.tsx";
import { Segments } from "../../../ui/tabs.tsx";
import { Time } from "../../../ui/time.tsx";
import type { Tool } from "../types.ts";

const { tools: words } = texts;

const writeSafely = (value: unknown): string => escapeInvisible(writeCompactJson(value));

/** What the server says about a tool: its text as text, its parameters as a table or as JSON. */
export function ToolDetails({ tool }: { tool: Tool }) {
  const [view, setView] = useState<"table" | "json">("table");
  const { description, inputSchema, outputSchema, annotations } = tool;
  return (
    <div className="tool-details">
      <p className="wrap-text pre-line">
        {description === null || description === "" ? (
          <span className="t3">{words.noDescription}</span>
        ) : (
          showInvisible(description)
        )}
      </p>
      <div className="row">
        <h3 className="sub-title grow">{words.parameters}</h3>
        <Segments
          label={words.schema}
          value={view}
          onChange={setView}
          options={[
            { value: "table", label: words.asTable },
            { value: "json", label: words.schema },
          ]}
        />
      </div>
      {view === "table" ? (
        <Parameters schema={inputSchema} />
      ) : (
        <>
          <Code text={writeSafely(inputSchema)} title={words.input} />
          {outputSchema !== null && <Code text={writeSafely(outputSchema)} title={words.output} />}
          {annotations !== null && <Code text={writeSafely(annotations)} title={words.annotations} />}
        </>
      )}
      <Pairs
        items={[
          [words.exposed, <CopyText key="exposed" value={tool.exposedName} />],
          [
            words.approved,
            tool.approvedAt === null ? (
              words.notApproved
            ) : (
              <span key="approved">
                <Time at={tool.approvedAt} />{" "}
                {tool.approvedByName !== null && texts.record.by(tool.approvedByName)}
              </span>
            ),
          ],
        ]}
      />
    </div>
  );
}

function Parameters({ schema }: { schema: unknown }) {
  const parameters = listParameters(schema);
  if (parameters.length === 0) return <p className="t3">{words.noParameters}</p>;
  return (
    <ul className="lined">
      {parameters.map(({ name, type, isRequired, description }) => (
        <li key={name} className="parameter">
          <p className="row wrap">
            <code className="t strong wrap-any">{showInvisible(name)}</code>
            <code className="t3 wrap-any">{showInvisible(type)}</code>
            {isRequired && <span className="small care">{words.required}</span>}
          </p>
          {description !== undefined && <p className="wrap-text">{showInvisible(description)}</p>}
        </li>
      ))}
    </ul>
  );
}
