import type { Detail, Refusal } from "../errors.ts";
import { actions, htmlPage, linkButton, type View } from "./html.ts";
import { html } from "./markup.ts";

const titles: Record<number, string> = {
  400: "This address is not valid",
  401: "Sign in first",
  403: "You may not do this",
  404: "There is nothing at this address",
  421: "This is not the address of this instance",
  429: "Too many attempts",
  503: "Not available at the moment",
};

const words: Record<number, string> = { 404: "Not found", 429: "Wait" };

/** Statuses for which a retry can help. */
const passing = [429, 500, 503];

interface Asked {
  publicUrl: string;
  requestId: string;
  /** Path and query. */
  target: string;
}

/** Builds the page that shows a refusal in a browser. */
export function renderRefusalPage(
  { status, body, headers, message }: Pick<Refusal, "status" | "body" | "headers" | "message">,
  { publicUrl, requestId, target }: Asked,
  view: Partial<View> = {},
): Response {
  const isServerFault = status >= 500;
  const field = listDetails(body)[0]?.path?.join(".");
  return htmlPage({
    publicUrl,
    status,
    headers,
    state: {
      kind: isServerFault ? "care" : "bad",
      word: words[status] ?? (isServerFault ? "Not done" : "Refused"),
    },
    title: titles[status] ?? (isServerFault ? "The server could not do this" : "This was refused"),
    lead:
      message === body.error
        ? isServerFault
          ? "The fault is on our side. Try again. If it happens again, send the request id below to the operator of this instance."
          : "Check the address, or begin in the console."
        : formatMessage(body, message),
    ...view,
    facts: [
      ...(view.facts ?? []),
      field ? ["Field", html`<code>${field}</code>`] : undefined,
      ["Code", html`<code>${typeof body.reason === "string" ? body.reason : body.error}</code>`],
      ["Request", html`<code>${requestId}</code>`],
    ],
    body:
      view.body ??
      actions(
        passing.includes(status) && linkButton(target, "Try again"),
        linkButton("/", "Open the console", passing.includes(status) ? "other" : "main"),
      ),
  });
}

const listDetails = ({ details }: Refusal["body"]) => (Array.isArray(details) ? (details as Detail[]) : []);

/** Returns the message without the field name, which is among the facts. */
const formatMessage = (body: Refusal["body"], message: string): string =>
  listDetails(body)
    .map((detail) => detail.message)
    .join(" ") || message;
