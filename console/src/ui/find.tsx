import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { common } from "../texts/common.ts";

interface FindProps {
  value: string;
  onChange(value: string): void;
  label?: string;
}

/** A field that filters the list. It waits until typing pauses. `/` puts the cursor here. */
export function Find({ value, onChange, label = common.actions.find }: FindProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), 250);
    return () => clearTimeout(timer);
  });
  return (
    <span className="input s findin">
      <Search className="i s" aria-hidden />
      <input
        type="search"
        className="bare grow"
        placeholder={label}
        aria-label={label}
        value={typed}
        data-find
        onChange={(event) => setTyped(event.target.value)}
      />
      <kbd className="no-phone" aria-hidden>
        /
      </kbd>
    </span>
  );
}
