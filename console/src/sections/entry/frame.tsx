import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Mark } from "../../app/shell/mark.tsx";
import { useRead } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { entry } from "../../texts/entry.ts";
import { useTitle } from "../../ui/page.tsx";
import "./entry.css";

interface EntryFrameProps {
  /** The title of the tab. */
  name: string;
  children: ReactNode;
  /** The right half on a wide screen. */
  aside?: ReactNode;
}

/** The pages before one is inside: a form, and what comes next beside it. */
export function EntryFrame({ name, children, aside }: EntryFrameProps) {
  useTitle(name);
  const version = useRead("GET /version", {});
  return (
    <div className={aside ? "first" : "first alone"}>
      <div className="left">
        <header>
          <Link to="/" className="row brand">
            <Mark />
            <span className="strong">{common.product}</span>
          </Link>
        </header>
        <main>{children}</main>
        <footer className="small t3">
          {version.data && entry.version(version.data.version, version.data.database, window.location.host)}
        </footer>
      </div>
      {aside && <aside className="right-p">{aside}</aside>}
    </div>
  );
}

interface EntryHeadProps {
  title: string;
  lead: ReactNode;
}

export const EntryHead = ({ title, lead }: EntryHeadProps) => (
  <div>
    <h1>{title}</h1>
    <p className="lead">{lead}</p>
  </div>
);
