import { z } from "zod";

export const secretText = z.string().regex(/^[\x20-\x7e]{1,8000}$/, "Visible ASCII characters, on one line.");

/** Headers that the connection itself sends, or that would change the meaning of the request. */
const reserved =
  /^(?:host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|accept|accept-encoding|cookie|mcp-.*|last-event-id|proxy-.*|sec-.*|origin|referer|user-agent|forwarded|x-forwarded-.*|x-real-ip|traceparent|tracestate)$/;

/** Names are compared in lower case, as in HTTP. */
export const headerMap = z
  .record(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, "A name of a header."), secretText)
  .superRefine((headers, issue) => {
    const names = Object.keys(headers);
    if (names.length > 20) issue.addIssue({ code: "custom", message: "At most 20 headers." });
    for (const name of names)
      if (reserved.test(name.toLowerCase()))
        issue.addIssue({ code: "custom", message: "This header cannot be set.", path: [name] });
  })
  .describe("Headers to send with every request, such as an API key. Values are stored sealed.");
