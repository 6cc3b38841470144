import { createElement, Fragment, type ReactNode, useMemo } from "react";
import { type Block, parseMarkdown } from "../lib/markdown/blocks.ts";
import type { Inline } from "../lib/markdown/inline.ts";

interface MarkdownProps {
  text: string;
  /** The level of the largest heading, so that a page has one outline. */
  topLevel?: number;
}

/** Markdown as React elements. No HTML is made from text, so a template cannot put anything into the page. */
export function Markdown({ text, topLevel = 2 }: MarkdownProps) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return <div className="md">{renderBlocks(blocks, topLevel)}</div>;
}

const renderBlocks = (blocks: readonly Block[], top: number): ReactNode =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a text never move.
  blocks.map((block, i) => <Fragment key={i}>{renderBlock(block, top)}</Fragment>);

function renderBlock(block: Block, top: number): ReactNode {
  switch (block.type) {
    case "heading":
      return createElement(`h${Math.min(6, block.level + top - 1)}`, null, renderInline(block.content));
    case "paragraph":
      return <p>{renderInline(block.content)}</p>;
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll long lines with the keyboard.
        <pre className="code" tabIndex={0}>
          {block.text}
        </pre>
      );
    case "quote":
      return <blockquote>{renderBlocks(block.blocks, top)}</blockquote>;
    case "rule":
      return <hr />;
    case "list": {
      const items = block.items.map(({ isDone, blocks }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items of a text never move.
        <li key={i} className={isDone === undefined ? undefined : "task"}>
          {isDone !== undefined && <i className={isDone ? "check on" : "check"} aria-hidden />}
          <div>{renderItem(blocks, top)}</div>
        </li>
      ));
      return block.isOrdered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
    }
    case "table":
      return (
        <div className="md-table">
          <table className="tbl">
            <thead>
              <tr>
                {block.head.map((cell, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a text never move.
                  <th key={i} scope="col">
                    {renderInline(cell)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a text never move.
                <tr key={i}>
                  {row.map((cell, j) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a text never move.
                    <td key={j}>{renderInline(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
  }
}

/** A short item has no paragraph around its text. */
const renderItem = (blocks: readonly Block[], top: number): ReactNode =>
  blocks[0]?.type === "paragraph" ? (
    <>
      {renderInline(blocks[0].content)}
      {renderBlocks(blocks.slice(1), top)}
    </>
  ) : (
    renderBlocks(blocks, top)
  );

const renderInline = (parts: readonly Inline[]): ReactNode =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move.
  parts.map((part, i) => <Fragment key={i}>{renderPart(part)}</Fragment>);

function renderPart(part: Inline): ReactNode {
  switch (part.type) {
    case "text":
      return part.text;
    case "code":
      return <code>{part.text}</code>;
    case "break":
      return <br />;
    case "link":
      return (
        <a className="link" href={part.href} target="_blank" rel="noopener noreferrer">
          {renderInline(part.content)}
        </a>
      );
    default:
      return createElement(part.type, null, renderInline(part.content));
  }
}
