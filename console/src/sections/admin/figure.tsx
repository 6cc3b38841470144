import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

interface FigureProps {
  label: string;
  value: ReactNode;
  hint?: ReactNode;
  /** The list that it counts. */
  to?: string;
}

export const Figure = ({ label, value, hint, to }: FigureProps) => {
  const content = (
    <>
      <span className="label">{label}</span>
      <span className="value num">{value}</span>
      <span className="small t3">{hint}</span>
    </>
  );
  return to === undefined ? (
    <div className="figure">{content}</div>
  ) : (
    <Link className="figure" to={to}>
      {content}
    </Link>
  );
};
