import { z } from "zod";

/**
 * A name of one line, for lists and mails. Control and format characters are refused, because they can hide text or
 * change its direction.
 */
export const lineOfText = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine(
      // A text that is too long is refused anyway, and the patterns take long for it.
      (text) => text.length > 2 * max || !hasHiddenCharacters(text),
      "Use one line, without control, invisible or direction characters.",
    );

/** Scripts whose spelling needs the joiners U+200C and U+200D. */
const joined =
  "\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Nkoo}\\p{sc=Mong}\\p{sc=Deva}\\p{sc=Beng}\\p{sc=Guru}\\p{sc=Gujr}\\p{sc=Orya}\\p{sc=Taml}\\p{sc=Telu}\\p{sc=Knda}\\p{sc=Mlym}\\p{sc=Sinh}\\p{sc=Khmr}\\p{sc=Mymr}\\p{sc=Tibt}";
const spelling = new RegExp(`(?<=[${joined}])[\\u200c\\u200d](?=[${joined}])`, "gu");
/** Joiners between emoji, and variation selectors after an emoji. */
const emoji =
  /(?<=\p{ExtPict}\ufe0f?\p{EMod}?)\u200d(?=\p{ExtPict})|(?<=[\p{Emoji}\p{ExtPict}])[\ufe0e\ufe0f]/gu;
/** U+2800 is the blank Braille pattern, which has none of these properties but is invisible. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]/u;

/** Most names are plain, and the other patterns take long. */
const plain = /^[\x20-\x7e]*$/;

const hasHiddenCharacters = (text: string): boolean =>
  !plain.test(text) && hidden.test(text.replace(emoji, "").replace(spelling, ""));

/**
 * An object with names that the caller chooses, at most `max`. They are counted before one of them is checked, because a
 * body can have a hundred thousand.
 */
export const recordOf = <Name extends z.ZodType<string, string>, Value extends z.ZodType>(
  name: Name,
  value: Value,
  max: number,
  /** What the names are called in the message, in the plural. */
  plural: string,
) =>
  z.preprocess(
    (given, issues) => {
      if (hasMoreNames(given, max)) issues.addIssue({ code: "custom", message: `At most ${max} ${plural}.` });
      return given;
    },
    z.record(name, value),
  );

function hasMoreNames(given: unknown, max: number): boolean {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return false;
  let count = 0;
  for (const _ in given) if (++count > max) return true;
  return false;
}

/**
 * The query of a page that a link with a token opens. The page itself reports a wrong token, and ignores parameters
 * that mail programs and proxies add.
 */
export const linkQuery = z.looseObject({
  token: z
    .string()
    .optional()
    .transform((token) => token || undefined)
    .describe("From the link."),
});
