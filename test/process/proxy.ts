import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Proxy {
  port: number;
  /** Ends every connection and takes no new one, as when the other side is restarted. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** A wire between two sides that a test can cut. */
export async function openProxy(targetHost: string, targetPort: number): Promise<Proxy> {
  const open = new Set<Socket>();
  let up = true;
  const server = createServer((near) => {
    if (!up) return void near.resetAndDestroy();
    const far = connect(targetPort, targetHost);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      up = false;
      for (const socket of open) socket.resetAndDestroy();
    },
    mend() {
      up = true;
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
