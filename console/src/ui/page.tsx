import { Link } from "@tanstack/react-router";
import { ArrowLeft, ChevronRight, Search, X } from "lucide-react";
import { Fragment, type ReactNode, useEffect, useRef } from "react";
import { useOptionalOrganization } from "../lib/context.tsx";
import { useShortcuts } from "../lib/keyboard.tsx";
import { common } from "../texts/common.ts";
import { IconButton } from "./button.tsx";

export interface Crumb {
  label: ReactNode;
  to?: string;
}

interface BarProps {
  /** The way here. The last one is this page. */
  crumbs: readonly Crumb[];
  /** Quiet actions of the page. */
  actions?: ReactNode;
}

/** The bar at the top of a page. */
export function Bar({ crumbs, actions }: BarProps) {
  const { openPalette } = useShortcuts();
  const isInOrganization = useOptionalOrganization() !== undefined;
  const parent = crumbs.findLast((crumb) => crumb.to !== undefined && crumb !== crumbs.at(-1));
  return (
    <div className="bar">
      {parent?.to && (
        <Link to={parent.to} className="btn q s ic only-phone" aria-label={common.actions.back}>
          <ArrowLeft className="i" aria-hidden />
        </Link>
      )}
      <nav className="crumb grow" aria-label={common.breadcrumb}>
        {crumbs.map((crumb, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is the identity of a crumb.
          <Fragment key={i}>
            {i > 0 && <ChevronRight className="i s no-phone" aria-hidden />}
            {i === crumbs.length - 1 ? (
              <span className="here cut" aria-current="page">
                {crumb.label}
              </span>
            ) : crumb.to ? (
              <Link to={crumb.to} className="no-phone">
                {crumb.label}
              </Link>
            ) : (
              <span className="no-phone">{crumb.label}</span>
            )}
          </Fragment>
        ))}
      </nav>
      {actions}
      {isInOrganization && (
        <span className="only-phone">
          <IconButton icon={Search} label={common.actions.search} onClick={openPalette} />
        </span>
      )}
    </div>
  );
}

/** Sets the title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${common.product}`;
  }, [title]);
}

interface HeadProps {
  title: ReactNode;
  lead?: ReactNode;
  /** Beside the title, such as the state. */
  beside?: ReactNode;
  /** At the right: a range or the one primary button. */
  actions?: ReactNode;
}

export const Head = ({ title, lead, beside, actions }: HeadProps) => (
  <div className="head">
    <div className="grow">
      <div className="row wrap">
        <h1>{title}</h1>
        {beside}
      </div>
      {lead && <p>{lead}</p>}
    </div>
    {actions && <div className="row wrap head-acts">{actions}</div>}
  </div>
);

interface PageProps extends HeadProps, Partial<BarProps> {
  /** The title of the tab. */
  name: string;
  barActions?: ReactNode;
  children: ReactNode;
}

/** A page of its own width: overview, settings, lists without an inspector. */
export function Page({ name, crumbs = [{ label: name }], barActions, children, ...head }: PageProps) {
  useTitle(name);
  return (
    <>
      <Bar crumbs={crumbs} actions={barActions} />
      <div className="page">
        <Head {...head} />
        {children}
      </div>
    </>
  );
}

interface RecordPageProps extends PageProps {
  /** Facts about the record, at the right. */
  rail: ReactNode;
}

/** A record with facts beside it: a run, an automation. */
export function RecordPage({
  name,
  crumbs = [{ label: name }],
  barActions,
  children,
  rail,
  ...head
}: RecordPageProps) {
  useTitle(name);
  return (
    <>
      <Bar crumbs={crumbs} actions={barActions} />
      <div className="runcols">
        <div className="runmain">
          <Head {...head} />
          {children}
        </div>
        <aside className="rail">{rail}</aside>
      </div>
    </>
  );
}

interface SplitPageProps extends PageProps {
  /** What is selected. Undefined: the list takes the whole width. */
  inspector?: ReactNode;
}

/** A list, and beside it the record that is selected in it. */
export function SplitPage({
  name,
  crumbs = [{ label: name }],
  barActions,
  children,
  inspector,
  ...head
}: SplitPageProps) {
  useTitle(name);
  return (
    <>
      <Bar crumbs={crumbs} actions={barActions} />
      {inspector === undefined ? (
        <div className="page">
          <Head {...head} />
          {children}
        </div>
      ) : (
        <div className="split">
          <div className="main">
            <Head {...head} />
            {children}
          </div>
          {inspector}
        </div>
      )}
    </>
  );
}

interface InspectorProps {
  title: ReactNode;
  lead?: ReactNode;
  beside?: ReactNode;
  onClose(): void;
  children: ReactNode;
  footer?: ReactNode;
}

/** The selected record. Esc closes it. It scrolls by itself, so the list stays where it is. */
export function Inspector({ title, lead, beside, onClose, children, footer }: InspectorProps) {
  const { useKey } = useShortcuts();
  useKey("Escape", onClose);
  const panel = useRef<HTMLElement>(null);
  // The keyboard continues here, and at the row again when the panel is closed.
  useEffect(() => {
    const address = document.querySelector("[data-row][aria-current]")?.getAttribute("href");
    if (!panel.current?.contains(document.activeElement)) panel.current?.focus({ preventScroll: true });
    return () => {
      // The list may be drawn anew by then, so the row is found by its address.
      const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
      const row = rows.find((one) => one.getAttribute("href") === address);
      row?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      className="insp"
      aria-label={typeof title === "string" ? title : undefined}
    >
      <header>
        <div className="row">
          <h2 className="grow">{title}</h2>
          {beside}
          <IconButton icon={X} label={common.actions.close} onClick={onClose} />
        </div>
        {lead && <p>{lead}</p>}
      </header>
      <div className="body">{children}</div>
      {footer && <footer>{footer}</footer>}
    </aside>
  );
}
