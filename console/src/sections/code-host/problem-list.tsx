import { codeHost as texts } from "../../texts/code-host.ts";
import type { Sync } from "./types.ts";

interface ProblemListProps {
  problems: Sync["problems"];
  title: string;
}

/** Files that did not become a template, and why. */
export const ProblemList = ({ problems, title }: ProblemListProps) =>
  problems.length > 0 && (
    <section className="field">
      <h3 className="strong">{title}</h3>
      <ul className="lined">
        {problems.map(({ path, line, message }) => (
          <li key={`${path} ${line} ${message}`}>
            <p className="mono t breaks">
              {path}
              {line !== null && <span className="t3"> {texts.sync.line(line)}</span>}
            </p>
            <p className="small breaks">{message}</p>
          </li>
        ))}
      </ul>
    </section>
  );
