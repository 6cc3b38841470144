import { Globe, RotateCw, Square, X } from "lucide-react";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { discover as texts } from "../../texts/discover.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { isRedacted } from "./verdict-words.ts";

interface AddressFormProps {
  /** The address of the verdict that is shown. */
  url: string;
  isAsking: boolean;
  /** Whether a verdict on the address is shown. */
  hasVerdict: boolean;
  onStart(url: string): void;
  onStop(): void;
  onClear(): void;
}

/** The field for the server's address. */
export function AddressForm({ url, isAsking, hasVerdict, onStart, onStop, onClear }: AddressFormProps) {
  const [typed, setTyped] = useState(url);
  const [problem, setProblem] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    setTyped(url);
    setProblem(undefined);
  }, [url]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = typed.trim();
    const found = findProblem(wanted);
    setProblem(found);
    if (found) input.current?.focus();
    else onStart(wanted);
  };
  return (
    <form onSubmit={submit} noValidate className="ask">
      <div className="row">
        <label className="vh" htmlFor={id}>
          {texts.field}
        </label>
        <span className={`input big grow${problem ? " err" : ""}`}>
          <Globe className="i" aria-hidden />
          <input
            ref={input}
            id={id}
            type="url"
            inputMode="url"
            className="bare grow mono"
            placeholder={texts.placeholder}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            data-find
            readOnly={isAsking}
            aria-invalid={problem !== undefined}
            aria-describedby={`${id}-problem`}
            onChange={(event) => {
              setTyped(event.target.value);
              setProblem(undefined);
            }}
          />
          {typed !== "" && !isAsking && (
            <span className="no-phone">
              <IconButton
                icon={X}
                label={texts.clear}
                onClick={() => {
                  setTyped("");
                  onClear();
                  input.current?.focus();
                }}
              />
            </span>
          )}
        </span>
        {isAsking ? (
          // The keys keep the elements apart: a click on Stop must not submit the form through a reused element.
          <Button key="stop" size="big" icon={Square} onClick={onStop}>
            {texts.stop}
          </Button>
        ) : hasVerdict && typed.trim() === url ? (
          <Button key="again" size="big" type="submit" icon={RotateCw} aria-label={texts.again}>
            <span className="no-phone">{texts.again}</span>
          </Button>
        ) : (
          <Button key="start" size="big" look="primary" type="submit">
            {texts.start}
          </Button>
        )}
      </div>
      <p id={`${id}-problem`} className="hint bad" role="alert">
        {problem}
      </p>
    </form>
  );
}

function findProblem(url: string): string | undefined {
  if (isRedacted(url)) return texts.redactedUrl;
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? undefined : texts.invalidUrl;
}
