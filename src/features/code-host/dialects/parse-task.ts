import { type Detail, Refusal } from "../../../platform/errors.ts";
import type { Run } from "../../../platform/sandbox/index.ts";
import { type ParsedDelivery, parseDelivery } from "./payload.ts";

/** The body without the methods of a buffer, which do not reach a thread. */
export interface ParseInput {
  dialect: Parameters<typeof parseDelivery>[0]["dialect"];
  event: string;
  contentType: string;
  body: Uint8Array;
}

export type ParseResult = { parsed: ParsedDelivery } | { refused: Detail[] };

/** Parses a large body in a thread. */
const run: Run<ParseInput, ParseResult> = async ({ body, ...delivery }) => {
  try {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    return { parsed: parseDelivery({ ...delivery, body: bytes }) };
  } catch (error) {
    if (!(error instanceof Refusal) || error.body.error !== "invalid_request") throw error;
    return { refused: error.body.details as Detail[] };
  }
};
export default run;
