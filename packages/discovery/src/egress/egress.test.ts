import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import https from "node:https";
import net from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  everyName,
  failure,
  type Listening,
  serve,
  serveRaw,
  serveTls,
} from "../../../../test/security/egress-kit.ts";
import { createEgress, type EgressOptions, type EgressPolicy } from "./index.ts";

const LOCAL: EgressPolicy = { allow: [], allowLoopback: true };

function egressOf(policy: EgressPolicy = LOCAL, options: EgressOptions = {}) {
  const egress = createEgress(policy, { lookup: everyName("127.0.0.1"), ...options });
  onTestFinished(() => egress.close());
  return egress;
}

const at = ({ port }: Listening, path = "/") => `http://127.0.0.1:${port}${path}`;

/** Answers with what it was sent. */
const echo = () =>
  serve(async (request, reply) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    reply.setHeader("x-twice", ["a", "b"]);
    reply.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
  });

/** `/<status>/<path…>` redirects to that path, on `to` if given; anything else is echoed. */
const redirector = (to?: string) =>
  serve(async (request, reply) => {
    const [, status, rest] = /^\/(30\d)(\/.*)$/.exec(request.url!) ?? [];
    if (status) {
      reply.writeHead(Number(status), { location: (to ?? "") + rest }).end("moved");
      return;
    }
    let body = "";
    for await (const chunk of request) body += chunk;
    reply.end(JSON.stringify({ method: request.method, headers: request.headers, body }));
  });

describe("a request", () => {
  test("carries what was asked, says signalbox, and nothing of a browser", async () => {
    const server = await echo();
    const reply = await egressOf().request(at(server, "/a?b=c#d"), {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Custom": "yes" },
      body: '{"ü":1}',
    });
    const seen = JSON.parse(reply.text());
    expect(seen).toMatchObject({ method: "POST", url: "/a?b=c", body: '{"ü":1}' });
    expect(seen.headers).toMatchObject({
      host: `127.0.0.1:${server.port}`,
      "user-agent": "signalbox",
      "content-type": "application/json",
      "content-length": "8",
      "x-custom": "yes",
    });
    for (const name of ["cookie", "origin", "referer", "sec-fetch-mode"])
      expect(seen.headers).not.toHaveProperty(name);
    expect(reply).toMatchObject({ status: 200, url: at(server, "/a?b=c"), redirectedFrom: [] });
    expect(reply.headers["x-twice"]).toEqual(["a", "b"]);
  });

  test("cannot be made to lie about its host or its length", async () => {
    const server = await echo();
    const headers = {
      Host: "inner",
      "Content-Length": "1",
      "Transfer-Encoding": "chunked",
      Connection: "upgrade",
      Origin: "x",
    };
    const seen = JSON.parse(
      (await egressOf().request(at(server), { method: "POST", headers, body: "abc" })).text(),
    );
    expect(seen.body).toBe("abc");
    expect(seen.headers.host).toBe(`127.0.0.1:${server.port}`);
    expect(seen.headers).not.toHaveProperty("origin");
    const split = egressOf().request(at(server), { headers: { "x-a": "1\r\nx-b: 2" } });
    expect((await failure(split)).kind).toBe("protocol_error");
  });

  test("keeps no cookie between two requests", async () => {
    const seen: unknown[] = [];
    const server = await serve((request, reply) => {
      seen.push(request.headers.cookie);
      reply.setHeader("set-cookie", "a=b").end();
    });
    const egress = egressOf();
    await egress.request(at(server));
    await egress.request(at(server));
    expect(seen).toEqual([undefined, undefined]);
  });

  test("does not go through the proxy that the environment names", async () => {
    const proxy = await serve((_, reply) => reply.end("proxied"));
    const server = await serve((_, reply) => reply.end("direct"));
    for (const name of ["http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"]) {
      const before = process.env[name];
      process.env[name] = at(proxy);
      onTestFinished(() => {
        if (before === undefined) delete process.env[name];
        else process.env[name] = before;
      });
    }
    expect((await egressOf().request(at(server))).text()).toBe("direct");
    expect(proxy.connections()).toBe(0);
  });

  test("can be given up, before it begins and in the middle of the body", async () => {
    const server = await serve((_, reply) => void reply.write("first"));
    const egress = egressOf();
    expect((await failure(egress.request(at(server), { signal: AbortSignal.abort() }))).kind).toBe("aborted");
    expect(server.connections()).toBe(0);
    expect((await failure(egress.request(at(server), { signal: AbortSignal.timeout(100) }))).kind).toBe(
      "aborted",
    );
  });

  test("ends with any of several signals, and leaves nothing behind at them", async () => {
    const server = await serve(
      (request, reply) => void (request.url === "/" ? reply.end("all") : reply.write("first")),
    );
    const egress = egressOf();
    const signals = [new AbortController(), new AbortController()];
    const signal = signals.map((controller) => controller.signal);
    const countListeners = () => signal.map((one) => getEventListeners(one, "abort").length);
    expect((await egress.request(at(server), { signal })).text()).toBe("all");
    expect(countListeners()).toEqual([0, 0]);
    const given = failure(egress.request(at(server, "/never"), { signal }));
    setTimeout(() => signals[1]!.abort(), 100);
    expect((await given).kind).toBe("aborted");
    expect(countListeners()).toEqual([0, 0]);
    expect((await failure(egress.request(at(server), { signal }))).kind).toBe("aborted");
  });

  test("can be read as it arrives, and closed early", async () => {
    const server = await serve((_, reply) => void reply.write("event: endpoint\n\n"));
    const stream = await egressOf().open(at(server));
    for await (const chunk of stream.chunks) {
      expect(Buffer.from(chunk).toString()).toContain("endpoint");
      break;
    }
    stream.close();
    await expect.poll(() => server.open()).toBe(0);
  });

  test("whose reply is not read holds only a part of it, and reads all of it later", async () => {
    let sent = 0;
    const size = 64 * 1024;
    const count = 1_000;
    const server = await serve((_, reply) => {
      const write = () => {
        while (sent < count) {
          sent += 1;
          if (!reply.write(Buffer.alloc(size, sent))) return;
        }
        reply.end();
      };
      reply.on("drain", write);
      write();
    });
    const stream = await egressOf().open(at(server), { maxBytes: size * count });
    // The rest waits in the buffers of both sockets.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(sent).toBeLessThan(count / 2);
    let bytes = 0;
    for await (const chunk of stream.chunks) bytes += chunk.byteLength;
    expect(bytes).toBe(size * count);
  });

  test("fails with its reader when the connection ends in the middle of the body", async () => {
    const server = await serve((_, reply) => {
      reply.writeHead(200, { "content-length": 100 }).write("a part");
      setTimeout(() => reply.destroy(), 50);
    });
    const stream = await egressOf().open(at(server));
    const read = async () => {
      for await (const _ of stream.chunks);
    };
    expect((await failure(read())).kind).toBe("connection_reset");
  });

  test("uses a connection again, and closing the guard ends it without ending the guard", async () => {
    const server = await echo();
    const egress = egressOf();
    for (let i = 0; i < 6; i += 1) await egress.request(at(server));
    expect(server.connections()).toBeLessThan(6);
    await egress.close();
    await expect.poll(() => server.open()).toBe(0);
    expect((await egress.request(at(server))).status).toBe(200);
  });

  test("keeps the name in the Host header while connecting to the address that was checked", async () => {
    const server = await echo();
    const egress = egressOf({ allow: ["mcp.corp.test"], allowLoopback: false });
    const seen = JSON.parse((await egress.request(`http://mcp.corp.test:${server.port}/`)).text());
    expect(seen.headers.host).toBe(`mcp.corp.test:${server.port}`);
  });
});

describe("a host that was accepted", () => {
  test("is still refused on another port, and by another guard", () => {
    const egress = egressOf();
    expect(egress.refusal("http://127.0.0.1:8080/")).toBeUndefined();
    expect(egress.refusal("http://127.0.0.1:8080/")).toBeUndefined();
    expect(egress.refusal("http://127.0.0.1:25/")).toMatch(/^Port 25 belongs to another protocol/);
    expect(egress.forAddressFrom("https://mcp.example/").refusal("http://127.0.0.1:8080/")).toMatch(
      /a loopback address of this machine/,
    );
  });
});

describe("a redirect", () => {
  test("is followed for GET, and every hop is told", async () => {
    const server = await redirector();
    const reply = await egressOf().request(at(server, "/301/302/307/end"));
    expect(reply.status).toBe(200);
    expect(reply.url).toBe(at(server, "/end"));
    expect(reply.redirectedFrom).toEqual([
      at(server, "/301/302/307/end"),
      at(server, "/302/307/end"),
      at(server, "/307/end"),
    ]);
  });

  test("is followed three times and no more, or as often as asked", async () => {
    const server = await redirector();
    const four = at(server, "/302/302/302/302/end");
    expect((await failure(egressOf().request(four))).kind).toBe("too_many_redirects");
    expect((await egressOf().request(four, { redirects: 4 })).status).toBe(200);
    const handed = await egressOf().request(four, { redirects: 0 });
    expect(handed.status).toBe(302);
    expect(handed.headers.location).toEqual(["/302/302/302/end"]);
  });

  test("never turns a POST into a GET", async () => {
    const server = await redirector();
    for (const status of [301, 302, 303]) {
      const error = await failure(
        egressOf().request(at(server, `/${status}/end`), { method: "POST", body: "x" }),
      );
      expect(error).toMatchObject({ kind: "redirect_refused", status, target: new URL(at(server)).origin });
    }
    for (const status of [307, 308]) {
      const reply = await egressOf().request(at(server, `/${status}/end`), { method: "POST", body: "x" });
      expect(JSON.parse(reply.text())).toMatchObject({ method: "POST", body: "x" });
    }
  });

  test("to another origin leaves credentials behind, to the same origin keeps them", async () => {
    const other = await redirector();
    const server = await redirector(at(other).slice(0, -1));
    const headers = {
      Authorization: "Bearer s",
      Cookie: "a=b",
      "X-Api-Key": "s",
      "Private-Token": "s",
      "Mcp-Session-Id": "s",
      accept: "text/x",
    };
    const away = JSON.parse((await egressOf().request(at(server, "/307/end"), { headers })).text());
    for (const name of ["authorization", "cookie", "x-api-key", "private-token", "mcp-session-id"]) {
      expect(away.headers, name).not.toHaveProperty(name);
    }
    expect(away.headers.accept).toBe("text/x");
    const home = JSON.parse((await egressOf().request(at(other, "/307/end"), { headers })).text());
    expect(home.headers).toMatchObject({ authorization: "Bearer s", cookie: "a=b", "x-api-key": "s" });
  });

  test("that is no address, or one with a password, is refused", async () => {
    for (const location of ["http://", "http://a:b@127.0.0.1/", "file:///etc/passwd", "javascript:1"]) {
      const server = await serve((_, reply) => reply.writeHead(302, { location }).end());
      expect((await failure(egressOf().request(at(server)))).kind, location).toBe("redirect_refused");
    }
  });

  test("without a location is handed back", async () => {
    const server = await serve((_, reply) => reply.writeHead(302).end("where?"));
    expect((await egressOf().request(at(server))).status).toBe(302);
  });
});

const pem = (name: string) =>
  readFileSync(new URL(`../../../../test/fixtures/tls/${name}`, import.meta.url), "utf8");
const secure = (certificate: string) =>
  serveTls(
    https.createServer(
      { key: pem(`${certificate}.key`), cert: pem(`${certificate}.pem`) },
      (request, reply) => {
        if (request.url === "/down") reply.writeHead(302, { location: "http://tls.test/" });
        reply.end(`hello ${(request.socket as { servername?: string }).servername || "nobody"}`);
      },
    ),
  );

describe("TLS", () => {
  const options = { ca: [pem("ca.pem")] };
  const named = { allow: ["tls.test", "other.test"], allowLoopback: true };

  test("is verified against the name, which is sent as SNI, and against an address", async () => {
    const server = await secure("good");
    const egress = egressOf(named, options);
    expect((await egress.request(`https://tls.test:${server.port}/`)).text()).toBe("hello tls.test");
    expect((await egress.request(`https://tls.test.:${server.port}/`)).text()).toBe("hello tls.test");
    expect((await egress.request(`https://127.0.0.1:${server.port}/`)).text()).toBe("hello nobody");
  });

  test("fails with a message of its own for each reason", async () => {
    const said = new Map<string, string>();
    const fails = async (certificate: string, host: string, code: string, ca = options) => {
      const { port } = await secure(certificate);
      const error = await failure(egressOf(named, ca).request(`https://${host}:${port}/`));
      expect(error).toMatchObject({ kind: "tls_failed", code });
      said.set(error.message.replaceAll(String(port), ""), code);
    };
    await fails("expired", "tls.test", "CERT_HAS_EXPIRED");
    await fails("future", "tls.test", "CERT_NOT_YET_VALID");
    await fails("self-signed", "tls.test", "DEPTH_ZERO_SELF_SIGNED_CERT");
    await fails("good", "other.test", "ERR_TLS_CERT_ALTNAME_INVALID");
    await fails("good", "tls.test", "UNABLE_TO_VERIFY_LEAF_SIGNATURE", { ca: [] });
    const plain = await echo();
    const error = await failure(egressOf(named, options).request(`https://tls.test:${plain.port}/`));
    expect(error.kind).toBe("tls_failed");
    expect(error.message).toContain("does not speak TLS");
    expect(said.size).toBe(5);
    expect([...said.keys()].join()).toMatch(
      /expired.*not valid yet.*self-signed.*another name.*not trusted/s,
    );
  });

  test("cannot be switched off by the environment", async () => {
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    onTestFinished(() => {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    });
    const { port } = await secure("self-signed");
    expect((await failure(egressOf(named).request(`https://tls.test:${port}/`))).kind).toBe("tls_failed");
  });

  test("is not left by a redirect", async () => {
    const { port } = await secure("good");
    const error = await failure(egressOf(named, options).request(`https://tls.test:${port}/down`));
    expect(error.kind).toBe("redirect_refused");
    expect(error.message).toContain("https");
  });
});

describe("a failure", () => {
  test("of the name server is told apart from a name that does not exist", async () => {
    const failing = (code: string) =>
      failure(
        egressOf(LOCAL, { lookup: () => Promise.reject(Object.assign(new Error(code), { code })) }).request(
          "http://a.test/",
        ),
      );
    for (const code of ["ENOTFOUND", "ENODATA"]) expect((await failing(code)).kind).toBe("dns_failed");
    for (const code of ["EAI_AGAIN", "ETIMEOUT"]) expect((await failing(code)).kind).toBe("resolver_down");
    expect((await failing("ENOTFOUND")).message).not.toBe((await failing("EAI_AGAIN")).message);
  });

  test("to connect is refused or reset", async () => {
    const gone = net.createServer().listen(0, "127.0.0.1");
    await new Promise((done) => gone.once("listening", done));
    const { port } = gone.address() as net.AddressInfo;
    await new Promise((done) => gone.close(done));
    expect((await failure(egressOf().request(`http://127.0.0.1:${port}/`))).kind).toBe("connection_refused");
    const resets = await serveRaw((socket) => socket.resetAndDestroy());
    expect((await failure(egressOf().request(at(resets)))).kind).toBe("connection_reset");
  });

  test("tells neither the query, nor the password, nor the body", async () => {
    const server = await serveRaw((socket) => socket.end("inner secret\r\n"));
    const error = await failure(egressOf().request(at(server, "/path?access_token=hush")));
    expect(error.url).toBe(at(server, "/path"));
    expect(JSON.stringify({ ...error, message: error.message })).not.toMatch(/hush|inner/);
    const user = await failure(egressOf().request("http://me:hush@127.0.0.1/"));
    expect(JSON.stringify({ ...user, message: user.message })).not.toContain("hush");
  });

  test("of policy says what to add to EGRESS_ALLOW, and adding it helps", async () => {
    const server = await echo();
    const url = `http://tool.corp.test:${server.port}/`;
    const error = await failure(egressOf({ allow: [], allowLoopback: false }).request(url));
    expect(error.message).toContain("add tool.corp.test to EGRESS_ALLOW");
    for (const entry of ["tool.corp.test", "*.corp.test", `tool.corp.test:${server.port}`, "127.0.0.0/8"]) {
      expect((await egressOf({ allow: [entry], allowLoopback: false }).request(url)).status, entry).toBe(200);
    }
  });

  test("an entry that cannot be read stops the start", () => {
    expect(() => createEgress({ allow: ["http://x"], allowLoopback: false })).toThrow('"http://x"');
  });
});

describe("fetch", () => {
  test("takes a URL or a Request, and bodies of every kind", async () => {
    const server = await echo();
    const { fetch } = egressOf();
    const sent = async (...args: Parameters<typeof fetch>) =>
      (await (await fetch(...args)).json()) as {
        method: string;
        body: string;
        headers: Record<string, string>;
      };
    expect(await sent(at(server))).toMatchObject({ method: "GET", body: "" });
    expect(await sent(new URL(at(server)), { method: "PUT", body: "text" })).toMatchObject({
      method: "PUT",
      body: "text",
    });
    const form = await sent(at(server), { method: "POST", body: new URLSearchParams({ a: "1" }) });
    expect(form).toMatchObject({ body: "a=1" });
    expect(form.headers).toMatchObject({
      "content-length": "3",
      "content-type": expect.stringContaining("urlencoded"),
    });
    expect(await sent(at(server), { method: "POST", body: new TextEncoder().encode("bytes") })).toMatchObject(
      { body: "bytes" },
    );
    expect(
      await sent(new Request(at(server), { method: "POST", body: "inside", headers: { "x-a": "1" } })),
    ).toMatchObject({
      method: "POST",
      body: "inside",
      headers: { "x-a": "1", "content-length": "6" },
    });
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("in "));
        controller.enqueue(new TextEncoder().encode("pieces"));
        controller.close();
      },
    });
    expect(await sent(at(server), { method: "POST", body } as RequestInit)).toMatchObject({
      body: "in pieces",
    });
  });

  test("gives a real Response", async () => {
    const server = await redirector();
    const reply = await egressOf().fetch(at(server, "/302/end"));
    expect(reply).toBeInstanceOf(Response);
    expect(reply).toMatchObject({ status: 200, ok: true, redirected: true, url: at(server, "/end") });
    const head = await egressOf().fetch(at(server), { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(head.body).toBeNull();
  });

  test("hands a redirect back or refuses it, as asked", async () => {
    const server = await redirector();
    const manual = await egressOf().fetch(at(server, "/302/end"), { redirect: "manual", method: "POST" });
    expect(manual.status).toBe(302);
    expect(manual.headers.get("location")).toBe("/end");
    expect((await failure(egressOf().fetch(at(server, "/302/end"), { redirect: "error" }))).kind).toBe(
      "redirect_refused",
    );
  });

  test("is aborted with the caller's own reason", async () => {
    const server = await serve((_, reply) => void reply.write("first"));
    const { fetch } = egressOf();
    const reason = new Error("enough");
    await expect(fetch(at(server), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const reply = await fetch(at(server), { signal: controller.signal });
    controller.abort(reason);
    await expect(reply.text()).rejects.toThrow();
    await expect.poll(() => server.open()).toBe(0);
  });

  test("a body nobody wants is let go", async () => {
    const server = await serve((_, reply) => void reply.write("first"));
    const reply = await egressOf().fetch(at(server));
    await reply.body!.cancel();
    await expect.poll(() => server.open()).toBe(0);
  });

  test("passes the same guard", async () => {
    const { fetch } = egressOf({ allow: [], allowLoopback: false });
    for (const url of [
      "http://127.0.0.1/",
      "http://169.254.169.254/",
      "http://a:b@public.test/",
      "file:///etc/passwd",
    ]) {
      expect(["refused_by_policy", "invalid_url"], url).toContain((await failure(fetch(url))).kind);
    }
  });
});

describe("the egress of an organization", () => {
  test("passes its organization to the resolver, also for URLs that a server names", async () => {
    const server = await echo();
    const shares: string[] = [];
    const egress = egressOf(
      { allow: ["*.test"], allowLoopback: true },
      {
        lookup: async (_name, share) => {
          shares.push(share);
          return [{ address: "127.0.0.1", family: 4 }];
        },
      },
    );
    const { port } = server;
    await egress.forOrganization("org_a").request(`http://one.test:${port}/`);
    await egress.forOrganization("org_b").fetch(`http://two.test:${port}/`);
    await egress
      .forOrganization("org_c")
      .forAddressFrom("https://far.test/")
      .request(`http://three.test:${port}/`);
    expect(shares).toEqual(["org_a", "org_b", "org_c"]);
  });

  test("has connections of its own", async () => {
    const used = new Map<string, Set<number | undefined>>();
    const server = await serve((request, reply) => {
      const ports = used.get(request.url!) ?? new Set();
      used.set(request.url!, ports.add(request.socket.remotePort));
      reply.end();
    });
    const egress = egressOf();
    for (const orgId of ["a", "b", "a", "b", "a"])
      await egress.forOrganization(orgId).request(at(server, `/${orgId}`));
    expect([...used.get("/a")!].filter((port) => used.get("/b")!.has(port))).toEqual([]);
  });
});
