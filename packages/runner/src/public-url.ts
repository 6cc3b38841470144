import { createHttp, RefusedError } from "@signalbox/client";

/**
 * Checks the server's own address, which is part of the links in a run's results. A runner works at any address that
 * reaches the server, so it only warns when the other address leads somewhere else.
 */
export async function checkPublicUrl(
  url: string,
  publicUrl: string | undefined,
  instance: string,
): Promise<string | undefined> {
  if (publicUrl === undefined || !URL.canParse(publicUrl)) return undefined;
  const { origin } = new URL(publicUrl);
  if (origin === url) return undefined;
  const advice = `If ${origin} is where people reach it, use --url ${origin}; else correct PUBLIC_URL of the server.`;
  try {
    const http = createHttp({ url: origin, timeoutMs: 5_000, maxReplyBytes: 1024 * 1024, maxTries: 1 });
    const reply = await http.request({ path: "/version" });
    if (reply?.instance === instance) return undefined;
  } catch (error) {
    if (!(error instanceof RefusedError))
      return `The Signalbox at ${url} calls itself ${origin}, which does not answer from here. ${advice}`;
  }
  return `The Signalbox at ${url} calls itself ${origin}, but something else answers there. ${advice}`;
}
