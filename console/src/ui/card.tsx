import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import type { ReactNode } from "react";

interface CardProps {
  title?: ReactNode;
  /** Beside the title, such as a count or a state. */
  beside?: ReactNode;
  /** At the right end of the header. */
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
  /** Space around the content. Tables have their own. */
  padded?: boolean;
}

export const Card = ({ title, beside, actions, children, className, padded = false }: CardProps) => (
  <section className={`card${className ? ` ${className}` : ""}`}>
    {title !== undefined && (
      <header>
        <h2>{title}</h2>
        {beside}
        {actions && <span className="right">{actions}</span>}
      </header>
    )}
    {padded ? <div className="pad">{children}</div> : children}
  </section>
);

/** Names and values, one pair a line. */
export const Pairs = ({
  items,
}: {
  items: readonly (readonly [name: string, value: ReactNode] | false | undefined)[];
}) => (
  <dl className="kv">
    {items.map(
      (item) =>
        item && (
          <div key={item[0]} className="kv-row">
            <dt>{item[0]}</dt>
            <dd>{item[1]}</dd>
          </div>
        ),
    )}
  </dl>
);

interface MoreLinkProps {
  to: string;
  search?: Record<string, unknown>;
  children: ReactNode;
}

/** "All runs →" */
export const MoreLink = ({ to, search, children }: MoreLinkProps) => (
  <Link to={to} search={(search ?? {}) as never} className="more">
    {children}
    <ArrowRight className="i s" aria-hidden />
  </Link>
);
