import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

interface TabItem {
  to: string;
  label: ReactNode;
  count?: number | undefined;
}

interface TabsProps {
  items: readonly (TabItem | false)[];
  label: string;
  /** The path of the tab that is shown. Without it, the address decides. */
  current?: string;
}

/** Parts of one record or area, each with its own address. */
export const Tabs = ({ items, label, current }: TabsProps) => (
  <nav className="tabs" aria-label={label}>
    {items.map(
      (item) =>
        item && (
          <Link
            key={item.to}
            to={item.to}
            activeOptions={{ exact: true, includeSearch: false }}
            activeProps={{ "aria-current": "page" }}
            {...(item.to === current ? { "aria-current": "page" as const } : {})}
          >
            {item.label}
            {item.count !== undefined && <span className="num">{item.count}</span>}
          </Link>
        ),
    )}
  </nav>
);

interface SegmentsProps<Value extends string> {
  label: string;
  value: Value;
  onChange(value: NoInfer<Value>): void;
  options: readonly { value: Value; label: ReactNode; count?: number | undefined }[];
}

/** A few exclusive views of the same list. */
export const Segments = <Value extends string>({ label, value, onChange, options }: SegmentsProps<Value>) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex container in all browsers.
  <div className="seg" role="group" aria-label={label}>
    {options.map((option) => (
      <button
        key={option.value}
        type="button"
        aria-pressed={option.value === value}
        onClick={() => onChange(option.value)}
      >
        {option.label}
        {option.count !== undefined && <span className="num">{option.count}</span>}
      </button>
    ))}
  </div>
);
