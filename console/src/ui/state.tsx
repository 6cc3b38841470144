import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { findInitials } from "../lib/format.ts";
import { findState, type StateKind, type Tone } from "./states.ts";

interface StateProps {
  kind: StateKind;
  /** The value of the API. */
  value: string;
  /** A box around it, beside a title. */
  boxed?: boolean;
  /** Another word, such as "3 tools held". */
  word?: string;
}

const spinning = new Set(["running"]);

export function State({ kind, value, boxed = false, word }: StateProps) {
  const state = findState(kind, value);
  const Icon = state.icon;
  return (
    <span className={`st${state.tone === "none" ? "" : ` ${state.tone}`}${boxed ? " box" : ""}`}>
      <Icon className={`i${spinning.has(value) ? " spin" : ""}`} aria-hidden />
      {word ?? state.word}
    </span>
  );
}

interface TagProps {
  children: ReactNode;
  tone?: Tone;
  icon?: LucideIcon;
  mono?: boolean;
  /** A hairline instead of a fill. */
  outlined?: boolean;
}

export const Tag = ({ children, tone = "none", icon: Icon, mono = false, outlined = false }: TagProps) => (
  <span className={`tag${tone === "none" ? "" : ` ${tone}`}${mono ? " mono" : ""}${outlined ? " line" : ""}`}>
    {Icon && <Icon className="i s" aria-hidden />}
    {children}
  </span>
);

export const Lamp = ({ tone, pulse = false }: { tone: Tone; pulse?: boolean }) => (
  <i className={`lamp${tone === "none" ? "" : ` ${tone}`}${pulse ? " pulse" : ""}`} aria-hidden />
);

export const Avatar = ({ name, size = "m" }: { name: string; size?: "s" | "m" }) => (
  <span className={size === "s" ? "ava s" : "ava"} aria-hidden>
    {findInitials(name)}
  </span>
);
