/** A webhook endpoint on real HTTP that records requests and answers as the test decides. */
import { createServer, type IncomingHttpHeaders } from "node:http";

interface Received {
  path: string;
  method: string;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** Delay before the answer. */
  delayMs?: number;
  /** Closes the connection instead of answering. */
  hangUp?: true;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** Decides the answer to each request. A test can replace it. */
  answer: (request: Received) => Answer;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const receiver = { received: [] as Received[], answer: () => ({ status: 204 }) } as unknown as Receiver;
  const server = createServer((incoming, outgoing) => {
    let body = "";
    incoming.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    incoming.on("end", () => {
      const request = { path: incoming.url!, method: incoming.method!, headers: incoming.headers, body };
      receiver.received.push(request);
      const { status, headers = {}, body: reply = "", delayMs = 0, hangUp } = receiver.answer(request);
      if (hangUp) return void incoming.socket.destroy();
      setTimeout(() => outgoing.writeHead(status, headers).end(reply), delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  receiver.url = `http://127.0.0.1:${port}`;
  receiver.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return receiver;
}
