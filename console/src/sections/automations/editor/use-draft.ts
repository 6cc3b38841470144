import { useEffect, useMemo, useRef, useState } from "react";
import { type AutomationForm, isSame } from "./automation-form.ts";

interface Draft {
  form: AutomationForm;
  /** The revision that the changes began from. */
  revision: number;
  at: number;
}

function readDraft(key: string, original: AutomationForm): Draft | undefined {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? "null") as Draft | null;
    // A later version of the page may have more fields.
    return found ? { ...found, form: { ...original, ...found.form } } : undefined;
  } catch {
    return undefined;
  }
}

/** The form of an editor. Unsaved changes are kept in this browser, so that nothing is lost. */
export function useDraft(key: string, original: AutomationForm, revision: number) {
  const kept = useMemo(() => readDraft(key, original), [key, original]);
  const [draft, setDraft] = useState(kept);
  const [form, setForm] = useState(kept?.form ?? original);
  const isChanged = !isSame(form, original);
  const isForgotten = useRef(false);

  useEffect(() => {
    if (isChanged) {
      const next = { form, revision: draft?.revision ?? revision, at: Date.now() };
      const timer = setTimeout(() => {
        if (!isForgotten.current) localStorage.setItem(key, JSON.stringify(next));
      }, 300);
      return () => clearTimeout(timer);
    }
    localStorage.removeItem(key);
  }, [form, isChanged, key, draft, revision]);

  return {
    form,
    setForm,
    isChanged,
    /** Changes from an earlier visit. */
    kept: isChanged ? draft : undefined,
    isOutdated: isChanged && draft !== undefined && draft.revision !== revision,
    baseRevision: draft?.revision ?? revision,
    discard() {
      localStorage.removeItem(key);
      setDraft(undefined);
      setForm(original);
    },
    /** For what was saved. What was typed just before is not kept afterwards either. */
    forget() {
      isForgotten.current = true;
      localStorage.removeItem(key);
    },
  };
}
