import { mcp as texts } from "../../../texts/mcp.ts";
import { ChoiceField } from "../../../ui/form.tsx";
import { Tag } from "../../../ui/state.tsx";
import type { Registration } from "../types.ts";
import type { Way } from "./ways.ts";

const { addServer: words } = texts;

interface WayFieldProps {
  ways: readonly Way[];
  value: Registration | undefined;
  recommended: Registration | undefined;
  onChange(value: Registration): void;
}

/** How the server is connected. What is not possible is named with its reason, and cannot be chosen. */
export function WayField({ ways, value, recommended, onChange }: WayFieldProps) {
  const possible = ways.filter(({ isAvailable }) => isAvailable);
  const impossible = ways.filter(({ isAvailable }) => !isAvailable);
  return (
    <>
      <ChoiceField<Registration | "">
        legend={words.way}
        value={value ?? ""}
        onChange={(chosen) => chosen !== "" && onChange(chosen)}
        options={possible.map(({ registration, note, missing }) => ({
          value: registration,
          label: (
            <>
              {words.ways[registration]}{" "}
              {registration === recommended && <Tag tone="ok">{words.recommended}</Tag>}
            </>
          ),
          hint: [
            note ?? words.wayHints[registration],
            missing.length > 0 &&
              words.missing(missing.map((field) => words.missingFields[field] ?? field).join(", ")),
          ]
            .filter(Boolean)
            .join(" "),
        }))}
      />
      {impossible.length > 0 && (
        <ul className="stack-s">
          {impossible.map(({ registration, note }) => (
            <li key={registration} className="small t3">
              {words.ways[registration]}: {note}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
