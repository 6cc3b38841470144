import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type DnsRecord, startDnsServer } from "../../../../../test/fixtures/dns-server.ts";
import { createResolver, type ResolverOptions } from "./index.ts";
import { candidateNames, parseResolvConf } from "./resolv-conf.ts";

interface Setup extends Omit<ResolverOptions, "servers"> {
  hosts?: string;
  resolvConf?: string;
}

async function setUp(
  find: (name: string) => DnsRecord | undefined,
  { hosts, resolvConf, ...more }: Setup = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "dns-"));
  const server = await startDnsServer(find);
  onTestFinished(async () => {
    rmSync(folder, { recursive: true });
    await server.close();
  });
  const file = (name: string, text = "") => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const resolve = createResolver({
    servers: [server.address],
    hostsPath: file("hosts", hosts),
    resolvConfPath: file("resolv.conf", resolvConf),
    ...more,
  });
  const resolveAddresses = async (name: string, share = "org") =>
    (await resolve(name, share)).map(({ address }) => address).sort();
  return { resolve, resolveAddresses, asked: server.asked };
}

const records = (map: Record<string, DnsRecord>) => (name: string) => map[name];

describe("a host name", () => {
  test("gets every address of both families", async () => {
    const { resolveAddresses, asked } = await setUp(
      records({ "both.test": { addresses: ["192.0.2.1", "192.0.2.2", "2001:db8::1"] } }),
    );
    expect(await resolveAddresses("Both.test.")).toEqual(["192.0.2.1", "192.0.2.2", "2001:db8::1"]);
    expect(asked.sort()).toEqual(["A both.test", "AAAA both.test"]);
  });

  test("that does not exist has another error code than one that the server cannot answer", async () => {
    const { resolve } = await setUp(records({ "broken.test": { reply: "servfail" }, "empty.test": {} }));
    await expect(resolve("absent.test", "org")).rejects.toMatchObject({ code: "ENOTFOUND" });
    await expect(resolve("empty.test", "org")).rejects.toMatchObject({ code: "ENOTFOUND" });
    await expect(resolve("broken.test", "org")).rejects.toMatchObject({ code: "EAI_AGAIN" });
  });

  test("is usable when the server answers for one family only", async () => {
    const { resolveAddresses } = await setUp(
      records({ "half.test": { addresses: ["192.0.2.1"], silentFamily: 6 } }),
      { maxWaitMs: 3_000 },
    );
    expect(await resolveAddresses("half.test")).toEqual(["192.0.2.1"]);
  });

  test("that is never answered fails within the time limit", async () => {
    // Three tries take about ten seconds.
    const resolvConf = "options timeout:30 attempts:3";
    const { resolve } = await setUp(() => ({ reply: "silence" }), { maxWaitMs: 300, resolvConf });
    const started = performance.now();
    await expect(resolve("silent.test", "org")).rejects.toMatchObject({ code: "EAI_AGAIN" });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("is queried once for concurrent lookups and cached briefly, also when it does not exist", async () => {
    const { resolveAddresses, resolve, asked } = await setUp(
      records({ "one.test": { addresses: ["192.0.2.1"], delayMs: 50 } }),
    );
    const all = await Promise.all(["a", "b", "c"].map((share) => resolveAddresses("one.test", share)));
    expect(all).toEqual(Array(3).fill(["192.0.2.1"]));
    await resolveAddresses("one.test");
    expect(asked).toHaveLength(2);
    for (let i = 0; i < 3; i++)
      await expect(resolve("absent.test", "org")).rejects.toMatchObject({ code: "ENOTFOUND" });
    expect(asked).toHaveLength(4);
  });

  test("is not cached longer than its TTL", async () => {
    const { resolveAddresses, asked } = await setUp(
      records({ "now.test": { addresses: ["192.0.2.1"], ttl: 0 } }),
    );
    await resolveAddresses("now.test");
    await resolveAddresses("now.test");
    expect(asked.filter((question) => question === "A now.test")).toHaveLength(2);
  });
});

describe("the system's configuration", () => {
  test("the hosts file comes before DNS, in every family, whatever the case", async () => {
    const { resolveAddresses, asked } = await setUp(() => ({ addresses: ["192.0.2.9"] }), {
      hosts:
        "# local\n127.0.0.1 localhost\n10.0.0.5\tInside.test inside # comment\nfd00::5 inside.test\nnonsense x\n",
    });
    expect(await resolveAddresses("INSIDE.test")).toEqual(["10.0.0.5", "fd00::5"]);
    expect(await resolveAddresses("localhost")).toEqual(["127.0.0.1"]);
    expect(asked).toEqual([]);
  });

  test("localhost names are never sent to DNS", async () => {
    const { resolveAddresses, asked } = await setUp(() => ({ addresses: ["192.0.2.9"] }));
    expect(await resolveAddresses("localhost")).toEqual(["127.0.0.1", "::1"]);
    expect(await resolveAddresses("app.localhost")).toEqual(["127.0.0.1", "::1"]);
    expect(asked).toEqual([]);
  });

  test("search domains are tried in order; a name with enough dots is tried as it is first", async () => {
    const { resolveAddresses, asked } = await setUp(
      records({ "db.two.test": { addresses: ["192.0.2.1"] }, "a.b": { addresses: ["192.0.2.2"] } }),
      {
        resolvConf: "nameserver 192.0.2.53\nsearch one.test two.test\noptions ndots:1 timeout:1 attempts:1\n",
      },
    );
    expect(await resolveAddresses("db")).toEqual(["192.0.2.1"]);
    expect(await resolveAddresses("a.b")).toEqual(["192.0.2.2"]);
    expect(asked.filter((question) => question.startsWith("A "))).toEqual([
      "A db.one.test",
      "A db.two.test",
      "A a.b",
    ]);
  });

  test("is parsed as resolv.conf(5) says, within limits", () => {
    const read = parseResolvConf(
      "domain old.test\nsearch A.test. b.test ; comment\noptions ndots:99 timeout:30 attempts:9",
    );
    expect(read).toEqual({ search: ["a.test", "b.test"], ndots: 15, timeoutMs: 1_500, tries: 3 });
    expect(parseResolvConf("options timeout:x ndots:-1")).toMatchObject({ search: [], ndots: 1, tries: 2 });
    expect(candidateNames("x", read)).toEqual(["x.a.test", "x.b.test", "x"]);
  });
});

describe("names of one organization that are never answered", () => {
  const find = (name: string): DnsRecord =>
    name.startsWith("slow") ? { reply: "silence" } : { addresses: ["192.0.2.1"] };

  test("do not delay names of another organization, whatever their number", async () => {
    const { resolve, resolveAddresses, asked } = await setUp(find, { maxWaitMs: 5_000, capacity: 8 });
    const slow = ["a", "b"].flatMap((share) =>
      Array.from({ length: 40 }, (_, i) => resolve(`slow-${share}-${i}.test`, share)),
    );
    let ended = 0;
    for (const one of slow) one.catch(() => {}).finally(() => (ended += 1));
    for (let i = 0; i < 5; i++) expect(await resolveAddresses(`quick-${i}.test`, "c")).toEqual(["192.0.2.1"]);
    expect(ended).toBe(0);
    // One organization never holds more than half of the places.
    expect(new Set(asked.filter((question) => question.startsWith("A slow-a"))).size).toBeLessThanOrEqual(4);
    await Promise.allSettled(slow);
  });

  test("do not delay another organization that looks up the same name", async () => {
    const { resolve, resolveAddresses } = await setUp(find, { maxWaitMs: 1_500, capacity: 4 });
    const slow = Array.from({ length: 10 }, (_, i) => resolve(`slow-${i}.test`, "a"));
    const inLine = resolveAddresses("quick.test", "a");
    expect(await resolveAddresses("quick.test", "b")).toEqual(["192.0.2.1"]);
    expect(await inLine).toEqual(["192.0.2.1"]);
    await Promise.allSettled(slow);
  });

  test("are refused when too many wait", async () => {
    const { resolve } = await setUp(find, { maxWaitMs: 300, capacity: 2 });
    const many = Array.from({ length: 200 }, (_, i) => resolve(`slow-${i}.test`, "a"));
    const codes = (await Promise.allSettled(many)).map((one) => (one as PromiseRejectedResult).reason.code);
    expect(codes.filter((code) => code === "DNS_BUSY").length).toBeGreaterThan(70);
    expect(new Set(codes)).toEqual(new Set(["DNS_BUSY", "EAI_AGAIN"]));
  });
});
