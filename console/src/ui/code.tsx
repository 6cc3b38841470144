import type { ReactNode } from "react";
import { CopyButton } from "./copy.tsx";

interface CodeProps {
  text: string;
  /** A name above it, such as a file name. */
  title?: ReactNode;
}

/** Text in a fixed font, exactly as it is, to read and copy. */
export const Code = ({ text, title }: CodeProps) => (
  <figure className="codebox">
    <figcaption className="row">
      <span className="grow cut">{title}</span>
      <CopyButton value={text} />
    </figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll long text with the keyboard. */}
    <pre className="code" tabIndex={0}>
      {text}
    </pre>
  </figure>
);

/** A value as indented JSON. */
export const Json = ({ value, title }: { value: unknown; title?: ReactNode }) => (
  <Code text={JSON.stringify(value, null, 2)} title={title} />
);
