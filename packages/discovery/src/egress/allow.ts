import ipaddr from "ipaddr.js";
import { type Cidr, parseIp } from "./addresses.ts";

/** One entry of `EGRESS_ALLOW`, read. `text` is its canonical form. */
export type AllowRule =
  | { text: string; cidr: Cidr; port?: number }
  | { text: string; name: string; wildcard: boolean; port?: number };

/** Entries separated by commas or white space. Throws one sentence that names the first entry it cannot read. */
export function parseEgressAllow(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map((entry) => parseAllowRule(entry).text);
}

export function parseAllowRule(entry: string): AllowRule {
  const createRuleError = (why: string) => new Error(`The entry "${entry}" cannot be used: ${why}.`);
  if (entry.includes("://"))
    throw createRuleError("write the host alone, without a scheme, such as mcp.corp.example");
  if (entry.includes("@")) throw createRuleError("a host has no user name or password");
  return entry.includes("/") ? parseCidrRule(entry, createRuleError) : parseHostRule(entry, createRuleError);
}

type CreateRuleError = (why: string) => Error;

function parseCidrRule(entry: string, bad: CreateRuleError): AllowRule {
  const [address = "", length = "", ...rest] = entry.split("/");
  const ip = parseIp(address);
  if (!ip || rest.length > 0) throw bad("it is neither a host nor a network such as 10.1.0.0/16");
  const most = ip.kind() === "ipv4" ? 32 : 128;
  if (!/^\d{1,3}$/.test(length) || Number(length) > most)
    throw bad(`the prefix length is a number from 0 to ${most}`);
  const plain = `${ip.toString()}/${Number(length)}`;
  const family = ip.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6;
  const network = `${family.networkAddressFromCIDR(plain).toString()}/${Number(length)}`;
  if (network !== plain) throw bad(`the network of that prefix is ${network}`);
  return { text: plain, cidr: [ip, Number(length)] };
}

function parseHostRule(entry: string, bad: CreateRuleError): AllowRule {
  const bare = parseIp(entry);
  if (bare) return parseAddressRule(bare, undefined);
  const [, host = "", portText] = /^(.*?)(?::(\d*))?$/.exec(entry) ?? [];
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && !(port >= 1 && port <= 65_535)) throw bad("the port is a number from 1 to 65535");
  const ip = parseIp(host);
  if (ip) return parseAddressRule(ip, port);

  const wildcard = host.startsWith("*.");
  const name = (wildcard ? host.slice(2) : host).replace(/\.$/, "");
  if (name.includes("*")) {
    throw bad("a star stands only at the start, followed by a dot and a name, such as *.corp.example");
  }
  const canonical = canonicalName(name);
  if (!canonical) throw bad("it is neither a host nor a network such as 10.1.0.0/16");
  if (parseIp(canonical)) throw bad(`write the address as ${canonical}`);
  const text = `${wildcard ? "*." : ""}${canonical}${port === undefined ? "" : `:${port}`}`;
  return { text, name: canonical, wildcard, ...(port === undefined ? {} : { port }) };
}

function parseAddressRule(ip: ipaddr.IPv4 | ipaddr.IPv6, port: number | undefined): AllowRule {
  const cidr: Cidr = [ip, ip.kind() === "ipv4" ? 32 : 128];
  if (port === undefined) return { text: ip.toString(), cidr };
  return { text: `${ip.kind() === "ipv6" ? `[${ip}]` : ip}:${port}`, cidr, port };
}

function canonicalName(name: string): string | undefined {
  if (name === "" || /[/?#\\:@%\s]/.test(name) || name.split(".").includes("")) return undefined;
  return URL.parse(`http://${name}/`)?.hostname.replace(/\.$/, "");
}
