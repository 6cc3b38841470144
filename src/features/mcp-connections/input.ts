import { z } from "zod";
import { recordOf } from "../../platform/http/index.ts";

export const secretText = z.string().regex(/^[\x20-\x7e]{1,8000}$/, "Visible ASCII characters, on one line.");

/** Headers that the connection itself sends, or that would change the meaning of the request. */
const reserved =
  /^(?:host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|accept|accept-encoding|cookie|mcp-.*|last-event-id|proxy-.*|sec-.*|origin|referer|user-agent|forwarded|x-forwarded-.*|x-real-ip|traceparent|tracestate)$/;

/** Names are compared in lower case, as in HTTP. */
export const headerMap = recordOf(
  z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, "A name of a header."),
  secretText,
  20,
  "headers",
)
  .superRefine((headers, issue) => {
    for (const name of Object.keys(headers))
      if (reserved.test(name.toLowerCase()))
        issue.addIssue({ code: "custom", message: "This header cannot be set.", path: [name] });
  })
  .describe("Headers to send with every request, such as an API key. Values are stored sealed.");
