/** HTML that is safe to send. The `html` tag creates it, and escapes all other values. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Part = string | number | Markup | undefined | false | readonly Part[];

/** Escapes text so that it cannot become markup. */
const escapeHtml = (text: string) =>
  text.replace(
    /[&<>"']/g,
    (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]!,
  );

function render(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Markup) return part.text;
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
  return part.map(render).join("");
}

/** Template tag for HTML. Values are escaped, unless they are `Markup`. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Markup =>
  new Markup(strings.reduce((text, string, i) => text + render(parts[i - 1]) + string));
