/** The server refuses shorter passwords. */
const minPasswordLength = 8;

export type Strength = 0 | 1 | 2 | 3 | 4;

/**
 * A rough measure from the length and the number of different characters. A repeated or counted-up password stays weak,
 * however long it is.
 */
export function measurePassword(password: string): Strength {
  const characters = [...password];
  if (characters.length < minPasswordLength) return 0;
  const different = new Set(characters).size;
  const steps = characters
    .slice(1)
    .map((character, i) => character.codePointAt(0)! - characters[i]!.codePointAt(0)!);
  const isRow = new Set(steps).size <= 1;
  if (isRow || different < 5) return 1;
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d]/u].filter((kind) => kind.test(password)).length;
  const points = Math.min(characters.length, different * 2) + (kinds - 1) * 2;
  if (points < 12) return 1;
  if (points < 16) return 2;
  return points < 20 ? 3 : 4;
}
