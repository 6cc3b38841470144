import pg from "pg";
import { Client } from "./client.ts";

/**
 * Splits a URL with several servers, such as postgres://user@a:5432,b:5432/name, into one URL for each. The driver takes
 * one server.
 */
export function splitServers(url: string): string[] {
  const [, start, hosts, rest] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  if (start === undefined || !hosts?.includes(",")) return [url];
  return hosts.split(",").map((host) => `${start}${host}${rest}`);
}

/** True when every server that `text` names has a valid URL. */
export const isServerUrl = (text: string): boolean =>
  splitServers(text).every((one) => URL.canParse(one) && /^postgres(ql)?:$/.test(new URL(one).protocol));

/** The server is a standby, so it cannot be written to. The code is that of a write to a standby. */
class NotWritable extends Error {
  readonly code = "25006";
}

const probeMs = 2_000;

interface Server {
  url: string;
  host: string;
  port: number;
}

/** Which of several servers can be written to. After a failover it is another one. */
export interface Servers {
  /** Returns the server, after a search if it is not known. All callers share a search. */
  find(): Promise<Server>;
  /** Call it when the server cannot be used. */
  forget(server: Server): void;
}

export function createServers(urls: readonly string[]): Servers {
  const servers = urls.map((url): Server => {
    const { host, port } = new pg.Client({ connectionString: url });
    return { url, host, port };
  });
  let known: Server | undefined;
  let search: Promise<Server> | undefined;
  return {
    async find() {
      if (known) return known;
      search ??= Promise.any(servers.map(probe)).finally(() => {
        search = undefined;
      });
      known = await search;
      return known;
    },
    forget(server) {
      if (known === server) known = undefined;
    },
  };
}

async function probe(server: Server): Promise<Server> {
  const client = new pg.Client({
    connectionString: server.url,
    connectionTimeoutMillis: probeMs,
    ...{ query_timeout: probeMs },
  });
  client.on("error", () => {});
  try {
    await client.connect();
    await checkWritable(client, server);
    return server;
  } finally {
    void client.end().catch(() => {});
  }
}

async function checkWritable(client: pg.Client, { host, port }: Server): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>("select pg_is_in_recovery() as standby");
  if (rows[0]!.standby) throw new NotWritable(`The database at ${host}:${port} is a standby.`);
}

type Connected = Parameters<typeof pg.Client.prototype.connect>[0];

/** A class of connections that go to the server that can be written to. */
export function defineClient(servers: Servers): typeof pg.Client {
  return class extends Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const connected = this.#connectToWritable();
      if (!callback) return connected;
      connected.then(
        () => process.nextTick(callback, null),
        (error: Error) => process.nextTick(callback, error),
      );
    }

    async #connectToWritable(): Promise<pg.Client> {
      const server = await servers.find();
      // The driver reads these fields when it connects.
      Object.assign(this, { host: server.host, port: server.port });
      try {
        await super.connect();
        await checkWritable(this, server);
        return this;
      } catch (error) {
        servers.forget(server);
        throw error;
      }
    }
  };
}
