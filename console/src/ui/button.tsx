import { Link, type LinkProps } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";
import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Tooltip } from "./tooltip.tsx";

type Look = "primary" | "secondary" | "quiet" | "destructive";
const looks: Record<Look, string> = {
  primary: "btn p",
  secondary: "btn",
  quiet: "btn q",
  destructive: "btn d",
};

interface Common {
  look?: Look;
  size?: "s" | "m" | "big";
  icon?: LucideIcon;
  children?: ReactNode;
}

const createClass = ({ look = "secondary", size = "m" }: Pick<Common, "look" | "size">) =>
  `${looks[look]}${size === "m" ? "" : ` ${size}`}`;

interface ButtonProps extends Common, ButtonHTMLAttributes<HTMLButtonElement> {
  /** Shows that the action runs. The button stays enabled for the keyboard, and ignores clicks. */
  busy?: boolean;
}

export function Button({
  look,
  size,
  icon: Icon,
  busy = false,
  children,
  onClick,
  className,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      className={`${createClass({ look, size })}${className ? ` ${className}` : ""}`}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
      {...rest}
    >
      {Icon && <Icon className="i s" aria-hidden />}
      {children}
    </button>
  );
}

interface LinkButtonProps extends Common {
  to: LinkProps["to"] | string;
  search?: Record<string, unknown>;
  className?: string;
}

export function LinkButton({ look, size, icon: Icon, to, search, className, children }: LinkButtonProps) {
  return (
    <Link
      to={to as string}
      search={(search ?? {}) as never}
      className={`${createClass({ look, size })}${className ? ` ${className}` : ""}`}
    >
      {Icon && <Icon className="i s" aria-hidden />}
      {children}
    </Link>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: LucideIcon;
  /** What it does. Shown as a tooltip, and read out. */
  label: string;
  look?: Look;
  size?: "s" | "m";
}

export function IconButton({
  icon: Icon,
  label,
  look = "quiet",
  size = "s",
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        aria-label={label}
        className={`${createClass({ look, size })} ic${className ? ` ${className}` : ""}`}
        {...rest}
      >
        <Icon className="i s" aria-hidden />
      </button>
    </Tooltip>
  );
}
