/** Characters without a shape: controls, joiners, direction marks, tags. Line breaks and tabs stay. */
const invisible = /(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Writes characters that cannot be seen as escapes of JSON, which means the same. */
export const escapeInvisible = (json: string): string =>
  json.replace(invisible, (character) =>
    Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );

/** Writes characters that cannot be seen as their code, so that nobody approves a text with hidden parts. */
export const showInvisible = (text: string): string =>
  text.replace(
    invisible,
    (character) => `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
