import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { Config } from "../platform/config.ts";
import { OperatorError } from "../platform/errors.ts";
import { listen } from "../platform/http/index.ts";

type Address = Pick<Config, "host" | "port">;

/** Listens on the configured address and returns the URL of the instance. */
export async function listenOnConfiguredAddress({ host, port }: Address) {
  const socket = await explainProblems(host, port, () => listen(host, port));
  return { ...socket, ...describeAddress(host, socket.port) };
}

/** Listens on the configured address for processes that get each connection, unread. */
export async function listenWithoutServing({ host, port }: Address) {
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true });
  await explainProblems(host, port, async () => {
    server.listen(port, host);
    await once(server, "listening");
  });
  return { server, ...describeAddress(host, (server.address() as AddressInfo).port) };
}

async function explainProblems<T>(host: string, port: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const problem = problems[(error as NodeJS.ErrnoException).code ?? ""];
    if (!problem) throw error;
    throw new OperatorError(problem(host, port), { cause: error });
  }
}

const describeAddress = (host: string, port: number) => ({
  url: toUrl(host, port),
  address: `${host.includes(":") ? `[${host}]` : host}:${port}`,
});

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
