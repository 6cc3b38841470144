/** Characters that a terminal executes instead of showing: control codes, and marks that reverse the text direction. */
const controlCharacters = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Text from outside, made safe to print. */
export function cleanText(text: string): string {
  return text.replace(controlCharacters, "\ufffd");
}

/** Breaks text into lines at spaces. A word that is longer than a line stays whole, so that URLs can be copied. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

export type Paint = Record<"bold" | "dim" | "red" | "green" | "yellow" | "cyan", (text: string) => string>;

export function createPaint(colour: boolean): Paint {
  const code = (on: number, off: number) => (text: string) =>
    colour ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    bold: code(1, 22),
    dim: code(2, 22),
    red: code(31, 39),
    green: code(32, 39),
    yellow: code(33, 39),
    cyan: code(36, 39),
  };
}

export interface Screen {
  colour: boolean;
  width: number;
}

/** Colors for a terminal. `hasColors` respects NO_COLOR and terminals without colors. */
export function describeScreen(stream: NodeJS.WriteStream): Screen {
  const colour = stream.isTTY === true && stream.hasColors();
  return { colour, width: Math.min(Math.max(stream.columns ?? 100, 40), 110) };
}
