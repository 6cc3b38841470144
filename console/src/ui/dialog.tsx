import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { common } from "../texts/common.ts";
import { Button, IconButton } from "./button.tsx";
import { FormProblem, useProblem } from "./form.tsx";

interface DialogProps {
  open: boolean;
  onClose(): void;
  title: ReactNode;
  /** One or two sentences under the title. */
  lead?: ReactNode;
  children?: ReactNode;
  width?: "m" | "l";
}

export function Dialog({ open, onClose, title, lead, children, width = "m" }: DialogProps) {
  return (
    // A click beside it closes nothing: what was typed would be lost, or a secret that is shown only once.
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()} disablePointerDismissal>
      <Base.Portal>
        <Base.Backdrop className="scrim" />
        <Base.Popup
          className={`dlg dlg-${width}`}
          onKeyDown={(event) => {
            // While a character is composed, as in Japanese, Esc is about that character.
            if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
            // Another dialog can be behind this one. Esc closes only the one in front.
            if (!event.currentTarget.contains(event.target as Node)) return;
            event.stopPropagation();
            onClose();
          }}
        >
          <header className="row dlg-head">
            <Base.Title className="grow">{title}</Base.Title>
            <IconButton icon={X} label={common.actions.close} onClick={onClose} />
          </header>
          {lead && <Base.Description className="dlg-lead">{lead}</Base.Description>}
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface ConfirmProps {
  open: boolean;
  onClose(): void;
  /** Names the thing: "Remove Dev Patel?" */
  title: string;
  /** The consequence: "His 2 keys end at once." */
  text: ReactNode;
  /** The verb on the button. */
  action: string;
  /** The person types this name first. Only for deletion. */
  typeName?: string;
  onConfirm(): Promise<unknown>;
  /** More that the person decides, below the text. */
  children?: ReactNode;
}

/** Asks before something ends. Stays open with the server's reason when it is refused. */
export const ConfirmDialog = ({ open, title, text, ...rest }: ConfirmProps) => (
  <Dialog open={open} onClose={rest.onClose} title={title} lead={text}>
    <Confirmation {...rest} />
  </Dialog>
);

/** Browsers show several spaces as one, so nobody can tell how many to type. */
const toOneLine = (text: string): string => text.trim().replaceAll(/\s+/g, " ");

/** Begins anew each time the dialog opens: without the name that was typed before, and without an old refusal. */
function Confirmation({
  onClose,
  action,
  typeName,
  onConfirm,
  children,
}: Omit<ConfirmProps, "open" | "title" | "text">) {
  const [typed, setTyped] = useState("");
  const [isWrong, setIsWrong] = useState(false);
  const { problem, busy, attempt } = useProblem();
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const confirm = async () => {
    if (typeName !== undefined && toOneLine(typed) !== toOneLine(typeName)) {
      setIsWrong(true);
      input.current?.focus();
      return;
    }
    // Somebody may have closed this dialog before the reply, and opened another in its place.
    if ((await attempt(onConfirm)) && isOpen.current) onClose();
  };
  return (
    <>
      {typeName !== undefined && (
        <div className="field">
          <label htmlFor={id}>{common.confirm.typeName(typeName)}</label>
          <input
            ref={input}
            id={id}
            className={`input${isWrong ? " err" : ""}`}
            value={typed}
            autoComplete="off"
            aria-invalid={isWrong}
            aria-describedby={`${id}-hint`}
            onKeyDown={(event) => {
              if (event.key === "Enter" && !event.nativeEvent.isComposing && !busy) void confirm();
            }}
            onChange={(event) => {
              setTyped(event.target.value);
              setIsWrong(false);
            }}
          />
          <div id={`${id}-hint`} role="alert">
            {isWrong && <p className="hint bad">{common.confirm.wrongName(typeName)}</p>}
          </div>
        </div>
      )}
      {children}
      <FormProblem problem={problem} />
      <footer className="row dlg-acts">
        <Button onClick={onClose}>{common.actions.cancel}</Button>
        <Button look="destructive" busy={busy} onClick={confirm}>
          {action}
        </Button>
      </footer>
    </>
  );
}

/** The buttons of a form in a dialog. */
export const DialogActions = ({
  busy,
  action,
  onClose,
}: {
  busy: boolean;
  action: string;
  onClose(): void;
}) => (
  <footer className="row dlg-acts">
    <Button onClick={onClose}>{common.actions.cancel}</Button>
    <Button look="primary" type="submit" busy={busy}>
      {action}
    </Button>
  </footer>
);
