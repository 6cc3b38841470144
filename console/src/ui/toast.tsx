import { CircleCheck, X } from "lucide-react";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { common } from "../texts/common.ts";

interface Undo {
  label: string;
  run(): void;
}

interface Toast {
  id: number;
  text: string;
  undo: Undo | undefined;
}

type ShowToast = (text: string, undo?: Undo) => void;

const ToastContext = createContext<ShowToast>(() => {});
const shownMs = 6_000;
const maxShown = 3;

/** Short confirmations at the edge of the page. Errors are never toasts: they stay where they happened. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const lastId = useRef(0);
  const show = useCallback<ShowToast>((text, undo) => {
    lastId.current += 1;
    const toast = { id: lastId.current, text, undo };
    // The same words again replace those that are still there: two saves are not two notices.
    // One with an action stays, because its action is about something else.
    const isOther = (other: Toast) => other.text !== text || other.undo !== undefined;
    setToasts((shown) => [...shown.filter(isOther), toast].slice(-maxShown));
  }, []);
  const hide = useCallback(
    (id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id)),
    [],
  );
  return (
    <ToastContext value={show}>
      {children}
      {createPortal(
        // The region is always there: readers announce only what appears in a region that they know.
        <div className="toasts" role="status">
          {toasts.map((toast) => (
            <ToastView key={toast.id} toast={toast} onHide={hide} />
          ))}
        </div>,
        document.body,
      )}
    </ToastContext>
  );
}

function ToastView({ toast, onHide }: { toast: Toast; onHide(id: number): void }) {
  // It stays while the pointer or the focus is on it.
  const [isHeld, setIsHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => onHide(toast.id), shownMs);
    return () => clearTimeout(timer);
  }, [isHeld, onHide, toast.id]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only keeps the text on the page.
    <div
      className="toast"
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
    >
      <CircleCheck className="i" aria-hidden />
      <p className="grow">{toast.text}</p>
      {toast.undo && (
        <button
          type="button"
          className="link"
          onClick={() => {
            toast.undo?.run();
            onHide(toast.id);
          }}
        >
          {toast.undo.label}
        </button>
      )}
      <button
        type="button"
        className="btn q s ic"
        aria-label={common.actions.close}
        onClick={() => onHide(toast.id)}
      >
        <X className="i s" aria-hidden />
      </button>
    </div>
  );
}

/** Returns a function that confirms what was done: "Role saved. 3 people have it now." */
export const useToast = (): ShowToast => useContext(ToastContext);
