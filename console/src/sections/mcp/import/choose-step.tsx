import { useState } from "react";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { CheckField, ChoiceField, Form, SecretField, TextField } from "../../../ui/form.tsx";
import { Tag } from "../../../ui/state.tsx";
import type { Preview } from "./import-dialog.tsx";
import type { ImportBody } from "./use-import.ts";

const { importing: words, addServer } = texts;
type Item = Preview["items"][number];

const canSave = ({ problem, existing }: Item): boolean => problem === null && existing === null;

interface ChooseStepProps {
  preview: Preview;
  onBack(): void;
  onSave(items: ImportBody["items"]): void;
}

/** The servers of the file: which to save, and the values that the file does not contain. */
export function ChooseStep({ preview: { format, items }, onBack, onSave }: ChooseStepProps) {
  const [chosen, setChosen] = useState<readonly string[]>(() => items.filter(canSave).map(({ key }) => key));
  const [values, setValues] = useState<Readonly<Record<string, Readonly<Record<string, string>>>>>({});
  const [credential, setCredential] = useState<"per_member" | "shared">("per_member");
  const submit = async () => {
    if (chosen.length === 0) throw new Error(words.chooseFirst);
    onSave(
      chosen.map((key) => ({
        key,
        credential,
        ...(values[key] ? { values: { ...values[key] } } : {}),
      })),
    );
  };
  return (
    <Form
      onSubmit={submit}
      footer={(busy) => (
        <footer className="row dlg-acts">
          <Button onClick={onBack}>{words.change}</Button>
          <span className="grow" />
          <Button look="primary" type="submit" busy={busy}>
            {words.save(chosen.length)}
          </Button>
        </footer>
      )}
    >
      <p className="row wrap">
        <span className="t strong">{items.length === 0 ? words.none : words.found(items.length)}</span>
        <Tag outlined>{words.formats[format] ?? format}</Tag>
      </p>
      <ul className="lined import-list">
        {items.map((item) => (
          <li key={item.key}>
            <ImportItem
              item={item}
              isChosen={chosen.includes(item.key)}
              onChoose={(isOn) =>
                setChosen(isOn ? [...chosen, item.key] : chosen.filter((key) => key !== item.key))
              }
              values={values[item.key] ?? {}}
              onValue={(name, value) =>
                setValues({ ...values, [item.key]: { ...values[item.key], [name]: value } })
              }
            />
          </li>
        ))}
      </ul>
      {items.some(canSave) && (
        <ChoiceField
          legend={words.credential}
          value={credential}
          onChange={setCredential}
          options={[
            { value: "per_member", label: addServer.perMember, hint: addServer.perMemberHint },
            { value: "shared", label: addServer.shared, hint: addServer.sharedHint },
          ]}
        />
      )}
    </Form>
  );
}

interface ImportItemProps {
  item: Item;
  isChosen: boolean;
  onChoose(isChosen: boolean): void;
  values: Readonly<Record<string, string>>;
  onValue(name: string, value: string): void;
}

function ImportItem({ item, isChosen, onChoose, values, onValue }: ImportItemProps) {
  const { name, url, headers, problem, existing, notes, missing } = item;
  return (
    <div className="stack-s">
      <CheckField
        label={name}
        hint={
          <span className="stack-s">
            {url !== null && <code className="wrap-any">{url}</code>}
            {headers.length > 0 && <span>{words.headers(headers.join(", "))}</span>}
            {existing !== null && <span>{words.exists(existing.name)}</span>}
            {problem !== null && <span className="care">{problem.message}</span>}
            {notes.map((note) => (
              <span key={note}>{note}</span>
            ))}
          </span>
        }
        checked={isChosen}
        disabled={!canSave(item)}
        onChange={onChoose}
      />
      {isChosen && missing.length > 0 && (
        <div className="import-values">
          {missing.map((value) => {
            const Field = value.secret ? SecretField : TextField;
            return (
              <Field
                key={value.name}
                label={value.optional ? `${value.name} (${words.optional})` : value.name}
                hint={value.description ?? undefined}
                autoComplete="off"
                value={values[value.name] ?? ""}
                onChange={(typed) => onValue(value.name, typed)}
              />
            );
          })}
        </div>
      )}
    </div>
  );
}
