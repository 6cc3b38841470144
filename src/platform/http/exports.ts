/** The media type of exports. */
export const exportType = "application/x-ndjson";

/** Media types of replies that are sent while they are produced. */
export const streamed = new Set(["text/event-stream", exportType]);

/** A slow caller can take hours for an export, so the caller is checked again before each part. */
export function checkEachPart({ body, status, headers }: Response, check: () => Promise<void>): Response {
  const checked = body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(part, controller) {
        await check();
        controller.enqueue(part);
      },
    }),
  );
  return new Response(checked, { status, headers });
}
