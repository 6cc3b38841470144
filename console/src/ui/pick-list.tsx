import { useState } from "react";
import { common } from "../texts/common.ts";
import { Card } from "./card.tsx";
import { Find } from "./find.tsx";
import { CheckField } from "./form.tsx";

interface PickListProps {
  title: string;
  hint?: string;
  /** Undefined until they were read, or when the person may not read them. What was chosen before is kept. */
  items: readonly { id: string; name: string }[] | undefined;
  chosen: string[];
  onChange(ids: string[]): void;
  disabled?: boolean;
}

const findFrom = 9;

/** Any number of things from a list that can be long. */
export function PickList({ title, hint, items, chosen, onChange, disabled = false }: PickListProps) {
  const [find, setFind] = useState("");
  if (items === undefined) return null;
  const shown = items.filter(({ name }) => name.toLowerCase().includes(find.toLowerCase()));
  return (
    <Card
      title={title}
      beside={chosen.length > 0 && <span className="t3 small num">{chosen.length}</span>}
      actions={
        items.length >= findFrom && <Find value={find} onChange={setFind} label={common.actions.find} />
      }
      padded
    >
      <div className="stack-s pick-list">
        {hint && <p className="hint">{hint}</p>}
        {items.length === 0 && <p className="t3">{common.pickList.none}</p>}
        {shown.map(({ id, name }) => (
          <CheckField
            key={id}
            label={name}
            checked={chosen.includes(id)}
            disabled={disabled}
            onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((other) => other !== id))}
          />
        ))}
      </div>
    </Card>
  );
}
