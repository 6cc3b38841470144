import { z } from "zod";

/**
 * A name that people gave to something. One line: it is shown in lists and goes into mails. Without control and
 * format characters, which hide text or turn its direction, so that a name looks like what it is.
 */
export const lineOfText = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine(
      (text) => !hasHiddenCharacters(text),
      "Use one line, without control, invisible or direction characters.",
    );

/** Scripts whose spelling needs the joiners U+200C and U+200D. */
const joined =
  "\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Nkoo}\\p{sc=Mong}\\p{sc=Deva}\\p{sc=Beng}\\p{sc=Guru}\\p{sc=Gujr}\\p{sc=Orya}\\p{sc=Taml}\\p{sc=Telu}\\p{sc=Knda}\\p{sc=Mlym}\\p{sc=Sinh}\\p{sc=Khmr}\\p{sc=Mymr}\\p{sc=Tibt}";
const spelling = new RegExp(`(?<=[${joined}])[\\u200c\\u200d](?=[${joined}])`, "gu");
/** Several pictures as one, and the selector that asks for a picture. */
const emoji =
  /(?<=\p{ExtPict}\ufe0f?\p{EMod}?)\u200d(?=\p{ExtPict})|(?<=[\p{Emoji}\p{ExtPict}])[\ufe0e\ufe0f]/gu;
/** The last is the blank of Braille, which is neither. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]/u;

const hasHiddenCharacters = (text: string): boolean =>
  hidden.test(text.replace(emoji, "").replace(spelling, ""));

/**
 * The query of a page behind a link. The page itself says what is wrong with the token, and ignores what mail
 * programs and proxies add to links.
 */
export const linkQuery = z.looseObject({
  token: z
    .string()
    .optional()
    .transform((token) => token || undefined)
    .describe("From the link."),
});
