import { Menu as Base } from "@base-ui/react/menu";
import type { LucideIcon } from "lucide-react";
import type { ReactElement, ReactNode } from "react";

interface MenuProps {
  trigger: ReactElement<Record<string, unknown>>;
  children: ReactNode;
  align?: "start" | "end";
}

export function Menu({ trigger, children, align = "end" }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="above">
          <Base.Popup className="menu">{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

interface MenuItemProps {
  icon?: LucideIcon;
  children: ReactNode;
  onSelect?(): void;
  /** Shown in red, for what removes or ends something. */
  destructive?: boolean;
  disabled?: boolean;
  /** A link, such as `<Link to="…" />`. */
  render?: ReactElement<Record<string, unknown>>;
}

export function MenuItem({
  icon: Icon,
  children,
  onSelect,
  destructive = false,
  disabled,
  render,
}: MenuItemProps) {
  return (
    <Base.Item
      className={`menu-item${destructive ? " bad" : ""}`}
      onClick={onSelect}
      disabled={disabled}
      render={render}
    >
      {Icon && <Icon className="i s" aria-hidden />}
      {children}
    </Base.Item>
  );
}

export const MenuLabel = ({ children }: { children: ReactNode }) => <p className="menu-label">{children}</p>;
export const MenuLine = () => <Base.Separator className="menu-line" />;
