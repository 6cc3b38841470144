import net from "node:net";
import { createEgress, type EgressOptions } from "@signalbox/discovery/egress";
import { describe, expect, onTestFinished, test } from "vitest";
import { HOSTILE_ADDRESSES, HOSTILE_NAMES, hostileUrls } from "./egress-corpus.ts";
import { everyName, failure, serve, watchSockets } from "./egress-kit.ts";

const CLOSED = { allow: [], allowLoopback: false };

function createTestEgress(policy: { allow: string[]; allowLoopback: boolean }, options: EgressOptions = {}) {
  // Any name that is not refused as such leads to a private address, so that no test can ever leave the machine.
  const egress = createEgress(policy, { lookup: everyName("10.0.0.1"), ...options });
  onTestFinished(() => egress.close());
  return egress;
}

/** A victim on both families of loopback, on one port. */
async function victim() {
  const v4 = await serve((_, reply) => reply.end("inside"));
  const v6 = net.createServer().on("connection", (socket) => socket.destroy());
  let v6Connections = 0;
  v6.on("connection", () => (v6Connections += 1));
  await new Promise<void>((done) => {
    v6.once("error", () => done()); // A machine without IPv6 has one door less to watch.
    v6.listen(v4.port, "::1", done);
  });
  onTestFinished(() => void v6.close());
  return { port: v4.port, connections: () => v4.connections() + v6Connections };
}

describe("the corpus of hostile URLs", () => {
  test("holds at least 150 hostile URLs", () => {
    expect(new Set(hostileUrls(8080)).size).toBeGreaterThanOrEqual(150);
  });

  test("is tested with a socket watch that reports an allowed connection", async () => {
    const { port } = await serve((_, reply) => reply.end("ok"));
    const { attempts } = watchSockets();
    const egress = createTestEgress({ allow: [], allowLoopback: true });
    expect((await egress.request(`http://127.0.0.1:${port}/`)).text()).toBe("ok");
    expect(attempts).toEqual([`127.0.0.1 ${port}`]);
  });

  test("opens no socket", async () => {
    const { port, connections } = await victim();
    const { attempts } = watchSockets();
    const egress = createTestEgress(CLOSED);
    for (const url of hostileUrls(port)) {
      const { kind } = await failure(egress.request(url, { timeoutMs: 2000 }));
      expect(["refused_by_policy", "invalid_url"], url).toContain(kind);
      const viaFetch = await failure(egress.fetch(url));
      expect(viaFetch.kind, url).toBe(kind);
    }
    expect(attempts).toEqual([]);
    expect(connections()).toBe(0);
  });

  test("opens no socket through a redirect, except to the first server", async () => {
    const target = await victim();
    const urls = hostileUrls(target.port).filter((url) => !/^$|^\/relative$/.test(url));
    const front = await serve((request, reply) => {
      const [, status, index] = request.url!.split("/");
      const location = urls[Number(index)]?.replaceAll("\n", "\t") ?? "/again";
      // Written byte for byte, as a hostile server would.
      reply.socket!.end(
        `HTTP/1.1 ${index ? status : 302} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`,
        "utf8",
      );
    });
    const { attempts } = watchSockets();
    const egress = createTestEgress(
      { allow: ["front.test"], allowLoopback: false },
      { lookup: (name) => everyName(name === "front.test" ? "127.0.0.1" : "10.0.0.1")() },
    );
    const statuses = [301, 302, 303, 307, 308];
    for (const [index, url] of urls.entries()) {
      const status = statuses[index % statuses.length];
      const { kind } = await failure(
        egress.request(`http://front.test:${front.port}/${status}/${index}`, { timeoutMs: 2000 }),
      );
      // What a header turns into garbage is either no address or a path on the first server, which goes on in a circle.
      expect(
        ["refused_by_policy", "redirect_refused", "too_many_redirects", "protocol_error"],
        url,
      ).toContain(kind);
    }
    expect(new Set(attempts)).toEqual(new Set([`127.0.0.1 ${front.port}`]));
    expect(target.connections()).toBe(0);
  });

  test("is refused at the last hop of a chain of public redirects", async () => {
    const target = await victim();
    const front = await serve((request, reply) => {
      const left = Number(request.url!.slice(1));
      const location = left > 0 ? `/${left - 1}` : `http://127.0.0.1:${target.port}/`;
      reply.writeHead(302, { location }).end();
    });
    const egress = createTestEgress(
      { allow: ["front.test"], allowLoopback: false },
      { lookup: everyName("127.0.0.1") },
    );
    const error = await failure(egress.request(`http://front.test:${front.port}/2`));
    expect(error.kind).toBe("refused_by_policy");
    expect(error.target).toBe(`http://127.0.0.1:${target.port}`);
    expect(target.connections()).toBe(0);
  });
});

describe("the addresses of a name", () => {
  test("a name that resolves to a hostile address is refused before connecting", async () => {
    const { attempts } = watchSockets();
    for (const address of HOSTILE_ADDRESSES) {
      const egress = createTestEgress(CLOSED, { lookup: everyName(address) });
      const { kind, message } = await failure(egress.request("http://public.test/", { timeoutMs: 2000 }));
      expect(kind, address).toBe("refused_by_policy");
      expect(message, "the inner address is not told").not.toContain(address);
    }
    expect(attempts).toEqual([]);
  });

  test("one hostile address among good ones refuses the name, in any position", async () => {
    const { attempts } = watchSockets();
    for (const address of HOSTILE_ADDRESSES) {
      for (const list of [
        ["93.184.216.34", address],
        [address, "93.184.216.34"],
        ["2606:2800:220:1::1", address, "93.184.216.34"],
      ]) {
        const egress = createTestEgress(CLOSED, { lookup: everyName(...list) });
        const { kind } = await failure(egress.request("http://public.test/", { timeoutMs: 2000 }));
        expect(kind, list.join()).toBe("refused_by_policy");
      }
    }
    expect(attempts).toEqual([]);
  });

  test("values that are not addresses are refused", async () => {
    const { attempts } = watchSockets();
    for (const answer of [
      "",
      "localhost",
      "0x7f.1",
      "2130706433",
      "127.1",
      "fe80::1%lo",
      "/var/run/docker.sock",
    ]) {
      const egress = createTestEgress(CLOSED, { lookup: everyName(answer) });
      expect((await failure(egress.request("http://public.test/"))).kind, answer).toBe("refused_by_policy");
    }
    const egress = createTestEgress(CLOSED, { lookup: everyName() });
    expect((await failure(egress.request("http://public.test/"))).kind).toBe("dns_failed");
    expect(attempts).toEqual([]);
  });

  test("local names stay refused even if they resolve to a public address", async () => {
    const { attempts } = watchSockets();
    for (const allowLoopback of [false, true]) {
      const egress = createTestEgress({ allow: [], allowLoopback }, { lookup: everyName("93.184.216.34") });
      for (const name of HOSTILE_NAMES.filter((host) => /localhost|internal|local|arpa|\.\./i.test(host))) {
        const { kind } = await failure(egress.request(`http://${name}/`));
        expect(["refused_by_policy", "invalid_url"], name).toContain(kind);
      }
    }
    expect(attempts).toEqual([]);
  });

  test("the connection uses the addresses that were checked, even when the name changes meanwhile", async () => {
    const good = await serve(
      (_, reply) => reply.writeHead(200, { connection: "close" }).end("good"),
      "127.0.0.2",
    );
    const { attempts } = watchSockets();
    let asked = 0;
    const egress = createTestEgress(
      { allow: ["127.0.0.2"], allowLoopback: false },
      { lookup: () => everyName(asked++ === 0 ? "127.0.0.2" : "127.0.0.1")() },
    );
    const url = `http://rebind.test:${good.port}/`;
    expect((await egress.request(url)).text()).toBe("good");
    expect(asked).toBe(1);
    expect((await failure(egress.request(url))).kind).toBe("refused_by_policy");
    expect(asked).toBe(2);
    expect(attempts).toEqual([`127.0.0.2 ${good.port}`]);
  });

  test("a socket with another remote address is closed before a byte is sent", async () => {
    let bytes = 0;
    const server = await serve(() => (bytes += 1));
    const { subscribe, unsubscribe } = await import("node:diagnostics_channel");
    const lie = (message: unknown) => {
      const { socket } = message as { socket: net.Socket };
      Object.defineProperty(socket, "remoteAddress", { get: () => "10.0.0.1" });
    };
    subscribe("net.client.socket", lie);
    onTestFinished(() => void unsubscribe("net.client.socket", lie));
    const egress = createTestEgress({ allow: [], allowLoopback: true });
    expect((await failure(egress.request(`http://127.0.0.1:${server.port}/`))).kind).toBe(
      "refused_by_policy",
    );
    expect(bytes).toBe(0);
  });
});

describe("the loopback default", () => {
  test("allows 127.0.0.0/8, ::1 and localhost, and nothing else of the corpus", async () => {
    const { attempts } = watchSockets();
    const egress = createTestEgress({ allow: [], allowLoopback: true });
    const loopback = /^(127\.\d+\.\d+\.\d+|\[::1\]|(.*\.)?localhost\.?)$/;
    for (const url of hostileUrls(8080)) {
      const host = URL.parse(url)?.hostname ?? "";
      if (loopback.test(host)) continue;
      expect(["refused_by_policy", "invalid_url"], url).toContain((await failure(egress.request(url))).kind);
    }
    expect(attempts).toEqual([]);
  });

  test("refuses a foreign name that resolves to loopback", async () => {
    const target = await victim();
    const egress = createTestEgress({ allow: [], allowLoopback: true }, { lookup: everyName("127.0.0.1") });
    const error = await failure(egress.request(`http://rebind.test:${target.port}/`));
    expect(error.kind).toBe("refused_by_policy");
    expect(target.connections()).toBe(0);
  });

  test("refuses a redirect from another server to this machine", async () => {
    const target = await victim();
    const front = await serve((_, reply) =>
      reply.writeHead(302, { location: `http://localhost:${target.port}/` }).end(),
    );
    const policy = { allow: ["front.test"], allowLoopback: true };
    const egress = createTestEgress(policy, { lookup: everyName("127.0.0.1") });
    expect((await failure(egress.request(`http://front.test:${front.port}/`))).kind).toBe("redirect_refused");
    expect(target.connections()).toBe(0);
    const reply = await egress.request(`http://127.0.0.1:${front.port}/`);
    expect(reply.text()).toBe("inside");
  });

  test("refuses ports of other protocols unless they are listed", async () => {
    const { attempts } = watchSockets();
    const egress = createTestEgress({ allow: [], allowLoopback: true });
    for (const port of [22, 25, 53, 110, 143, 389, 465, 587, 6667]) {
      expect((await failure(egress.request(`http://127.0.0.1:${port}/`))).kind).toBe("refused_by_policy");
    }
    expect(attempts).toEqual([]);
  });
});
