import { readText } from "./replies.ts";

/**
 * Links in what a run produces are made from the server's own idea of its address. A runner works at any
 * address that reaches the server, so only an address that leads somewhere else is worth a word.
 */
export async function checkPublicUrl(
  url: string,
  publicUrl: string | undefined,
  instance: string,
): Promise<string | undefined> {
  if (publicUrl === undefined || !URL.canParse(publicUrl)) return undefined;
  const { origin } = new URL(publicUrl);
  if (origin === url) return undefined;
  const mend = `If ${origin} is where people reach it, use --url ${origin}; else correct PUBLIC_URL of the server.`;
  try {
    const response = await fetch(`${origin}/version`, {
      redirect: "manual",
      signal: AbortSignal.timeout(5_000),
    });
    const said = JSON.parse(await readText(response)) as { instance?: unknown } | null;
    if (said?.instance === instance) return undefined;
    return `The Signalbox at ${url} calls itself ${origin}, but something else answers there. ${mend}`;
  } catch {
    return `The Signalbox at ${url} calls itself ${origin}, which does not answer from here. ${mend}`;
  }
}
