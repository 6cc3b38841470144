/**
 * Characters that a terminal interprets instead of showing: control codes, and marks that change the direction of text.
 */
const controlCharacters = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** The colours that the commands themselves use. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what finds them
const ownColour = /(\u001b\[(?:1|2|22|3[1236]|39)m)/;

/** Writes a character as an escape that is also valid inside a JSON string. */
const escapeLetter = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Makes untrusted text safe for a terminal. Line ends, tabs and the colours of the commands stay. */
export const printable = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .split(ownColour)
    .map((part, i) =>
      i % 2
        ? part
        : part.replace(controlCharacters, (letter) =>
            letter === "\n" || letter === "\t" ? letter : escapeLetter(letter),
          ),
    )
    .join("");

/**
 * Makes untrusted text safe within one line of a terminal. Line ends are escaped too, so that it cannot look like
 * another line.
 */
export const printableLine = (text: string): string => text.replace(controlCharacters, escapeLetter);
