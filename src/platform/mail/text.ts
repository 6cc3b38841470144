/** Text that mail programs turn into a link: a scheme, a host name or an e-mail address. */
const link = /[a-z][a-z0-9+.-]*:\/\/|\bwww\.|[\p{L}\p{N}_-]\.[\p{L}]{2,}|@/iu;

/** Turns a name into one visible line. Names from before the rules for names may contain any character. */
const visible = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu, "")
    .trim();

/** Returns a name for a subject. A name that mail programs would show as a link is replaced by `instead`. */
export const formatNameForSubject = (name: string, instead: string): string => {
  const shown = visible(name);
  return shown === "" || link.test(shown) ? instead : shown;
};

/** Returns a name for the text of a mail, written so that no mail program turns it into a link: `acme[.]example`. */
export const formatNameForText = (name: string): string =>
  visible(name)
    .replace(/:\/\//g, "[:]//")
    .replace(/\.(?=[\p{L}\p{N}])/gu, "[.]")
    .replace(/@/g, "[at]");
