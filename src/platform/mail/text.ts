/** What mail programs make a link of: a scheme, or a host name. */
const link = /[a-z][a-z0-9+.-]*:\/\/|\bwww\.|[\p{L}\p{N}_-]\.[\p{L}]{2,}|@/iu;

/** Text of one line: names that are older than the rules for names may hold anything. */
const visible = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu, "")
    .trim();

/** A name for a subject. One that mail programs would show as a link is replaced. */
export const nameInSubject = (name: string, instead: string): string => {
  const shown = visible(name);
  return shown === "" || link.test(shown) ? instead : shown;
};

/** A name for the text of a mail, written so that no mail program makes a link of it: `acme[.]example`. */
export const nameInText = (name: string): string =>
  visible(name)
    .replace(/:\/\//g, "[:]//")
    .replace(/\.(?=[\p{L}\p{N}])/gu, "[.]")
    .replace(/@/g, "[at]");
