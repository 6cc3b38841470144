import { useState } from "react";

/**
 * What a person has changed in a form. Other fields follow the record, which somebody else may change meanwhile. Only
 * changed fields are sent, so that the changes of both stay.
 */
export function useEdits<Fields extends object>(record: Fields) {
  const [edits, setEdits] = useState<Partial<Fields>>({});
  return {
    fields: { ...record, ...edits },
    edits,
    edit:
      <Name extends keyof Fields>(name: Name) =>
      (value: Fields[Name]) =>
        setEdits((others) => ({ ...others, [name]: value })),
    /** Call it with what was saved. What was typed since then stays. */
    forget: (saved: Partial<Fields>) =>
      setEdits((now) => {
        const isNewer = ([name, value]: [string, unknown]) => saved[name as keyof Fields] !== value;
        return Object.fromEntries(Object.entries(now).filter(isNewer)) as Partial<Fields>;
      }),
  };
}
