import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { common } from "../texts/common.ts";

function useCopy(value: string) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return {
    isCopied,
    copy: async () => {
      if (await copyText(value)) setIsCopied(true);
    },
  };
}

/** Copies to the clipboard. Browsers offer `navigator.clipboard` only with TLS or on localhost. */
export async function copyText(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    const focused = document.activeElement;
    const area = document.createElement("textarea");
    area.value = value;
    area.className = "vh";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    // The keyboard goes on where it was.
    if (focused instanceof HTMLElement) focused.focus();
    return done;
  }
}

export function CopyButton({ value, label = common.actions.copy }: { value: string; label?: string }) {
  const { isCopied, copy } = useCopy(value);
  const Icon = isCopied ? Check : Copy;
  return (
    <button type="button" className="btn q s" onClick={copy}>
      <Icon className="i s" aria-hidden />
      <span aria-live="polite">{isCopied ? common.actions.copied : label}</span>
    </button>
  );
}

/** A value to copy in a row of its own, such as a redirect URI. */
export const CopyRow = ({ value }: { value: string }) => (
  <div className="copy">
    <code className="grow cut" title={value}>
      {value}
    </code>
    <CopyButton value={value} />
  </div>
);

/** A secret that is shown only once. */
export const SecretRow = ({ value }: { value: string }) => (
  <div className="secret">
    <CopyRow value={value} />
    <p className="hint">{common.secret.once}</p>
  </div>
);

/** A short text that copies a longer value. */
export function CopyText({ value, shown = value }: { value: string; shown?: string }) {
  const { isCopied, copy } = useCopy(value);
  return (
    <button type="button" className="copy-text" title={value} onClick={copy}>
      <code>{isCopied ? common.actions.copied : shown}</code>
    </button>
  );
}
