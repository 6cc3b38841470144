import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");

/** One fenced block of a document. */
export interface Block {
  /** `docs/runner.md:31`, the line of the first command. */
  place: string;
  file: string;
  language: string;
  text: string;
  /** It stands directly below another block, so it shows what that block prints. */
  isReply: boolean;
}

/** The documents that users read. */
export const documents = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) => `docs/${file}`),
];

export function readBlocks(file: string): Block[] {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  const blocks: Block[] = [];
  let end = 0;
  let open: { language: string; from: number } | undefined;
  for (const [i, line] of lines.entries()) {
    const fence = /^```(\w*)/.exec(line);
    if (!fence) continue;
    if (open) {
      const text = lines.slice(open.from, i).join("\n");
      const isReply = blocks.length > 0 && open.from - end <= 3;
      blocks.push({ place: `${file}:${open.from + 1}`, file, language: open.language, text, isReply });
      end = i;
      open = undefined;
    } else open = { language: fence[1]!, from: i + 1 };
  }
  if (open) throw new Error(`${file}:${open.from}: this block has no end.`);
  return blocks;
}
