import { Plus, X } from "lucide-react";
import { useId } from "react";
import { mcp as texts } from "../../texts/mcp.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { SecretField, TextField } from "../../ui/form.tsx";

const { headers: words } = texts;

export interface Header {
  key: number;
  name: string;
  value: string;
}

/** The headers that have a name, as the API takes them. Undefined when there is none. */
export function readHeaders(headers: readonly Header[]): Record<string, string> | undefined {
  const named = headers.filter(({ name }) => name.trim() !== "");
  return named.length === 0
    ? undefined
    : Object.fromEntries(named.map(({ name, value }) => [name.trim(), value]));
}

interface HeaderFieldsProps {
  headers: readonly Header[];
  onChange(headers: readonly Header[]): void;
}

/** Any number of headers with their values. */
export function HeaderFields({ headers, onChange }: HeaderFieldsProps) {
  const hint = useId();
  const change = (key: number, part: Partial<Header>) =>
    onChange(headers.map((header) => (header.key === key ? { ...header, ...part } : header)));
  return (
    <fieldset className="choices-field" aria-describedby={hint}>
      <legend>{words.legend}</legend>
      {headers.map(({ key, name, value }) => (
        <div key={key} className="header-row">
          <TextField
            label={words.name}
            path={`headers.${name.trim()}`}
            mono
            value={name}
            onChange={(next) => change(key, { name: next })}
            autoComplete="off"
            spellCheck={false}
          />
          <SecretField
            label={words.value}
            value={value}
            onChange={(next) => change(key, { value: next })}
            autoComplete="off"
          />
          <IconButton
            icon={X}
            size="m"
            label={words.remove(name)}
            onClick={() => onChange(headers.filter((header) => header.key !== key))}
          />
        </div>
      ))}
      <div>
        <Button
          size="s"
          icon={Plus}
          onClick={() => onChange([...headers, { key: (headers.at(-1)?.key ?? 0) + 1, name: "", value: "" }])}
        >
          {words.add}
        </Button>
      </div>
      <p className="hint" id={hint}>
        {words.hint}
      </p>
    </fieldset>
  );
}
