import { createHash } from "node:crypto";
import { baseHeaders } from "./reply.ts";

/** Text that cannot become markup. */
export const escapeHtml = (text: string) =>
  text.replace(
    /[&<>"']/g,
    (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]!,
  );

const style = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { max-width: 42rem; margin: 12vh auto 4rem; padding: 0 1.5rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
code, pre { font: 0.9em/1.5 ui-monospace, monospace; }
pre { overflow-x: auto; padding: 0.9rem 1rem; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: 8px; }
a { color: light-dark(#0b57d0, #8ab4f8); }
nav a { margin-right: 1.25rem; }
label { display: block; margin: 1rem 0 0.25rem; }
input { font: inherit; padding: 0.5rem 0.7rem; width: 20rem; max-width: 100%; box-sizing: border-box; }
button { font: inherit; padding: 0.5rem 1rem; margin-top: 1rem; cursor: pointer; }
`;

interface Page {
  title: string;
  /** Markup; whatever came from outside is escaped by the caller. */
  body: string;
  /** A script of our own; the policy names its hash, so nothing else runs. */
  script?: string;
  status?: number;
}

const sha256 = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** A page of few words, complete in itself: nothing is loaded from anywhere. */
export function htmlPage({ title, body, script, status = 200 }: Page): Response {
  const policy = [
    "default-src 'none'",
    `style-src ${sha256(style)}`,
    ...(script ? [`script-src ${sha256(script)}`] : []),
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><main>${body}</main>${script ? `<script>${script}</script>` : ""}</body>
</html>
`;
  return new Response(html, {
    status,
    headers: {
      ...baseHeaders,
      "content-type": "text/html; charset=UTF-8",
      "content-security-policy": policy,
      "cache-control": "no-store",
    },
  });
}
