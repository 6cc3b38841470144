import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";

type Handler = () => void;

interface Shortcuts {
  openPalette(): void;
  openHelp(): void;
  /** Calls the handler when the key is pressed outside a field. The newest part of the page goes first. */
  useKey(key: string, handler: Handler, enabled?: boolean): void;
  /** `takeTyped` returns what was typed while the palette was being loaded. */
  palette: { isOpen: boolean; close(): void; takeTyped(): string };
  help: { isOpen: boolean; close(): void };
  /** Whether single keys such as `j` work. Some people use speech or other input that types letters. */
  singleKeys: boolean;
  setSingleKeys(enabled: boolean): void;
}

const ShortcutsContext = createContext<Shortcuts | undefined>(undefined);
const storageKey = "signalbox.singleKeys";

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));

/** A confirmation at the edge of the page has the role of a dialog too, and does not stop the keys. */
const isInDialog = (): boolean =>
  document.querySelector("[role=dialog]:not(.toast), [role=alertdialog]:not(.toast)") !== null;

export function ShortcutsProvider({ children, onGo }: { children: ReactNode; onGo(letter: string): void }) {
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const [singleKeys, setSingleKeys] = useState(() => localStorage.getItem(storageKey) !== "off");
  const handlers = useRef<{ key: string; handler: Handler }[]>([]);
  const go = useRef(onGo);
  go.current = onGo;
  const isPaletteAwaited = useRef(false);
  isPaletteAwaited.current = isPaletteOpen;
  const typed = useRef("");

  useEffect(() => {
    let waitsForPlace = false;
    const handle = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        typed.current = "";
        setIsPaletteOpen((isOpen) => !isOpen);
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
      if (event.key === "Escape" && isTyping(event.target)) return;
      if (isTyping(event.target) || isInDialog()) return;
      if (isPaletteAwaited.current) {
        if (event.key.length !== 1) return;
        event.preventDefault();
        typed.current += event.key;
        return;
      }
      if (event.key.length === 1 && !singleKeys) return;
      if (waitsForPlace) {
        waitsForPlace = false;
        go.current(event.key);
        return;
      }
      const found = handlers.current.findLast(({ key }) => key === event.key);
      if (found) {
        event.preventDefault();
        found.handler();
      } else if (event.key === "g") {
        waitsForPlace = true;
        setTimeout(() => {
          waitsForPlace = false;
        }, 1500);
      } else if (event.key === "?") setIsHelpOpen(true);
      else if (event.key === "/") focusFind(event);
      else if (event.key === "j" || event.key === "k") moveRow(event, event.key === "j" ? 1 : -1);
    };
    window.addEventListener("keydown", handle);
    return () => window.removeEventListener("keydown", handle);
  }, [singleKeys]);

  const value = useMemo<Shortcuts>(
    () => ({
      openPalette: () => setIsPaletteOpen(true),
      openHelp: () => setIsHelpOpen(true),
      palette: {
        isOpen: isPaletteOpen,
        close: () => setIsPaletteOpen(false),
        takeTyped: () => {
          const text = typed.current;
          typed.current = "";
          return text;
        },
      },
      help: { isOpen: isHelpOpen, close: () => setIsHelpOpen(false) },
      singleKeys,
      setSingleKeys: (enabled) => {
        localStorage.setItem(storageKey, enabled ? "on" : "off");
        setSingleKeys(enabled);
      },
      useKey(key, handler, enabled = true) {
        const latest = useRef(handler);
        latest.current = handler;
        useEffect(() => {
          if (!enabled) return;
          const entry = { key, handler: () => latest.current() };
          handlers.current.push(entry);
          return () => {
            handlers.current = handlers.current.filter((other) => other !== entry);
          };
        }, [key, enabled]);
      },
    }),
    [isPaletteOpen, isHelpOpen, singleKeys],
  );
  return <ShortcutsContext value={value}>{children}</ShortcutsContext>;
}

/** `/` puts the cursor into the field that filters this page. */
function focusFind(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>("[data-find]");
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
}

/** `j` and `k` move the focus through the rows of the first list. */
function moveRow(event: KeyboardEvent, step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  if (rows.length === 0) return;
  event.preventDefault();
  const focused = rows.indexOf(document.activeElement as HTMLElement);
  // From the record that is open, when the focus is in its panel.
  const at = focused === -1 ? rows.findIndex((row) => row.hasAttribute("aria-current")) : focused;
  const next = rows[Math.min(rows.length - 1, Math.max(0, at === -1 ? 0 : at + step))]!;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

export function useShortcuts(): Shortcuts {
  const shortcuts = useContext(ShortcutsContext);
  if (!shortcuts) throw new Error("This part of the page is outside ShortcutsProvider.");
  return shortcuts;
}
