import type { Config } from "../platform/config.ts";
import { OperatorError } from "../platform/errors.ts";
import { listen } from "../platform/http/index.ts";

/** Listens on the configured address and returns the URL of the instance. */
export async function listenOnConfiguredAddress({ host, port }: Config) {
  try {
    const socket = await listen(host, port);
    const address = `${host.includes(":") ? `[${host}]` : host}:${socket.port}`;
    return { ...socket, url: toUrl(host, socket.port), address };
  } catch (error) {
    const problem = problems[(error as NodeJS.ErrnoException).code ?? ""];
    if (!problem) throw error;
    throw new OperatorError(problem(host, port), { cause: error });
  }
}

const noSuchHost = (host: string) =>
  `HOST ${host} is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for every address it has.`;

const problems: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} of ${host} is in use. Stop the other program, or choose another port with PORT (0 takes a free one).`,
  EACCES: (_host, port) =>
    `This user may not listen on port ${port}. Choose one above 1023 with PORT, behind a proxy.`,
  EADDRNOTAVAIL: noSuchHost,
  ENOTFOUND: noSuchHost,
  EAI_AGAIN: noSuchHost,
};

function toUrl(host: string, port: number): string {
  const shown = ["0.0.0.0", "::"].includes(host) ? "localhost" : host;
  return `http://${shown.includes(":") ? `[${shown}]` : shown}:${port}`;
}
