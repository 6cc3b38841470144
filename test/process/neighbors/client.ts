/** HTTP without a framework: the callers must cost little beside the server they measure. */
import { Agent, type IncomingMessage, type RequestOptions, request } from "node:http";
import type { Body } from "../../body.ts";

export interface Answer {
  status: number;
  body: Body;
}

export interface Client {
  /** Resolves with status 0 when no answer came within the time limit. */
  call(path: string, options?: CallOptions): Promise<Answer>;
  /** Opens a response and leaves it open; resolves with its status. */
  open(path: string, headers: Record<string, string>): Promise<number>;
  close(): void;
}

interface CallOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
  timeoutMs?: number;
}

/** A caller from one loopback address: 127.0.0.2 and 127.0.0.3 are different networks to the server. */
export function createClient(base: string, localAddress = "127.0.0.1"): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 2_000 });
  const url = new URL(base);
  const open: IncomingMessage[] = [];

  const start = (path: string, options: RequestOptions) =>
    request({ agent, host: url.hostname, port: url.port, localAddress, path, ...options });

  return {
    call(path, { method, headers = {}, body, timeoutMs = 30_000 } = {}) {
      const bytes =
        body === undefined ? undefined : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
      return new Promise((resolve) => {
        const sent = start(path, {
          method: method ?? (bytes ? "POST" : "GET"),
          headers: {
            ...(bytes ? { "content-type": "application/json", "content-length": bytes.length } : {}),
            ...headers,
          },
        });
        const give = (status: number, text = "") => {
          clearTimeout(timer);
          let parsed: unknown = text;
          try {
            parsed = JSON.parse(text);
          } catch {}
          resolve({ status, body: parsed });
        };
        const timer = setTimeout(() => {
          sent.destroy();
          give(0);
        }, timeoutMs);
        sent.on("error", () => give(0));
        sent.on("response", (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk) => {
            text += chunk;
          });
          response.on("end", () => give(response.statusCode!, text));
          response.on("error", () => give(0));
        });
        sent.end(bytes);
      });
    },
    open(path, headers) {
      return new Promise((resolve) => {
        const sent = start(path, { headers, agent: false });
        sent.on("error", () => resolve(0));
        sent.on("response", (response) => {
          open.push(response);
          response.on("error", () => {});
          response.resume();
          resolve(response.statusCode!);
        });
        sent.end();
      });
    },
    close() {
      for (const response of open) response.destroy();
      agent.destroy();
    },
  };
}
