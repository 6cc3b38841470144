import { createInterface, type Interface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import { UsageError } from "../arguments.ts";

/** Reads answers from a person at a terminal, or line by line from a pipe. */
export interface Prompt {
  ask(question: string, options?: { hidden?: boolean }): Promise<string>;
  close(): void;
}

type Input = Readable & { isTTY?: boolean };

/** Stdin is not read before the first question, because a script around this command may need it. */
export function openPrompt(
  input: Input = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Prompt {
  let reader: LineReader | undefined;
  return {
    async ask(question, { hidden = false } = {}) {
      reader ??= createLineReader(input, output);
      const answer = (await reader.read(question, hidden))?.trim();
      if (!answer) throw new UsageError(`${question.replace(/:? *$/, "")}: nothing was entered.`);
      return answer;
    },
    close: () => reader?.close(),
  };
}

interface LineReader {
  /** Undefined when the input has ended. */
  read(question: string, hidden: boolean): Promise<string | undefined>;
  close(): void;
}

function createLineReader(input: Input, output: NodeJS.WritableStream): LineReader {
  const isTerminal = input.isTTY === true;
  let isMuted = false;
  // Questions go to stderr, so that stdout has only the result. Secret input is not echoed.
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!isMuted) output.write(chunk);
      done();
    },
  });
  const lines: Interface = createInterface({ input, output: echo, terminal: isTerminal, historySize: 0 });
  const waiting: string[] = [];
  let isClosed = false;
  let deliver: (() => void) | undefined;
  lines.on("line", (line) => {
    waiting.push(line);
    deliver?.();
  });
  lines.on("close", () => {
    isClosed = true;
    deliver?.();
  });
  // In raw mode Ctrl-C arrives as a key.
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  return {
    async read(question, hidden) {
      if (isTerminal) {
        lines.setPrompt(question);
        lines.prompt();
        isMuted = hidden;
      }
      while (waiting.length === 0 && !isClosed) {
        await new Promise<void>((resolve) => {
          deliver = resolve;
        });
      }
      isMuted = false;
      if (isTerminal && hidden) output.write("\n");
      return waiting.shift();
    },
    close: () => lines.close(),
  };
}
