import { isIP } from "node:net";
import { resolve } from "node:path";
import { isLoopbackHost, parseEgressAllow } from "@signalbox/discovery/egress";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { isServerUrl } from "./db/servers.ts";
import { OperatorError } from "./errors.ts";

/** The environment is wrong; the message names the variable and the way out. */
export class ConfigError extends OperatorError {}

const url = (protocols: string[], example: string) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    message: `must be a URL such as ${example}`,
    // Later checks need a valid URL.
    abort: true,
  });

/** Several servers are separated by commas: the one that can be written to is used. */
const databaseUrl = z
  .string()
  .refine(isServerUrl, { message: "must be a URL such as postgres://user:password@host:5432/signalbox" });

const list = z.string().transform((text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean),
);

const secret = z
  .string()
  .trim()
  .min(32, "must have at least 32 characters; make one with `openssl rand -base64 32`");

// A secret may contain a comma. If a piece is too short to be a secret, the whole text is one secret. Earlier versions
// did not remove the white space around a secret, so the text as it was given is one too.
const secrets = z
  .string()
  .transform((text) => [
    ...new Set([text, ...text.split(",")].flatMap((piece) => [piece.trim(), piece]).filter(isSecret)),
  ])
  .refine((pieces) => pieces.length > 0, "must have at least 32 characters each");
const isSecret = (text: string) => text.length >= 32;

const wholeNumber = (from: number, to: number, hint = "") => {
  const error = `must be a whole number from ${from} to ${to}${hint}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, error)
    .transform(Number)
    .pipe(z.number().min(from, error).max(to, error));
};

const cidr = z.string().transform((text, issues) => {
  try {
    return text.includes("/")
      ? ipaddr.parseCIDR(text)
      : ipaddr.parseCIDR(`${text}/${isIP(text) === 6 ? 128 : 32}`);
  } catch {
    issues.addIssue({ code: "custom", message: `must list addresses or networks; "${text}" is neither` });
    return z.NEVER;
  }
});

/** `name=value`, the value percent-encoded. The message shows neither: they are usually credentials. */
const header = z.string().transform((text, issues): [string, string] => {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*)$/.exec(text) ?? [];
  try {
    const decoded = decodeURIComponent(value!);
    if (name && value !== undefined && /^[\x20-\x7e]*$/.test(decoded)) return [name, decoded];
  } catch {}
  const message = "must list headers as name=value, separated by commas, with values percent-encoded";
  issues.addIssue({ code: "custom", message });
  return z.NEVER;
});

const units: Readonly<Record<string, number>> = {
  "": 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};

/** `name=limit`. The limit is a whole number, optionally followed by KiB, MiB, GiB or TiB. */
const limitEntry = z.string().transform((text, issues): [string, number] => {
  const [, name, amount, unit = ""] = /^([a-z_.]+)\s*=\s*(\d{1,15})\s*(|[KMGT]iB)$/.exec(text) ?? [];
  const limit = Number(amount) * units[unit]!;
  if (name && Number.isSafeInteger(limit)) return [name, limit];
  const message = `must list limits as name=number, separated by commas, such as automations=500,webhook_storage=2GiB; "${text}" is not valid`;
  issues.addIssue({ code: "custom", message });
  return z.NEVER;
});

const share = "must be a number from 0 to 1, the share of traces to keep";

/** Every variable the product reads, and nothing else reads the environment. */
const variables = z.object({
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: wholeNumber(0, 65535, "; 0 takes a free port").default(8787),
  PUBLIC_URL: url(["http:", "https:"], "https://signalbox.example.com")
    .refine((text) => new URL(text).pathname === "/" && !new URL(text).search && !new URL(text).hash, {
      message: "must be an origin without a path, such as https://signalbox.example.com",
    })
    .optional(),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  DATABASE_POOL: wholeNumber(2, 200).optional(),
  PROCESSES: wholeNumber(1, 256).optional(),
  DATA_DIR: z.string().min(1).default("./data"),
  SIGNALBOX_SECRET: secret.optional(),
  SIGNALBOX_SECRET_FILE: z.string().min(1).optional(),
  SIGNALBOX_SECRET_PREVIOUS: secrets.default([]),
  EGRESS_ALLOW: z
    .string()
    .transform((text, issues) => {
      try {
        return parseEgressAllow(text);
      } catch (error) {
        const why = (error as Error).message.replace(/\.$/, "");
        issues.addIssue({
          code: "custom",
          message: `must list hosts and networks, separated by commas. ${why}`,
        });
        return z.NEVER;
      }
    })
    .default([]),
  CODEHOST_WEBHOOK_SECRET: list
    .pipe(
      z.array(
        z.string().min(16, "must have at least 16 characters each; make one with `openssl rand -hex 32`"),
      ),
    )
    .default([]),
  QUOTAS: list
    .pipe(z.array(limitEntry))
    .transform((entries): ReadonlyMap<string, number> => new Map(entries))
    .default(new Map()),
  WEBHOOK_RETENTION_DAYS: wholeNumber(1, 3650).default(90),
  WORKER_HEARTBEAT_SECONDS: wholeNumber(1, 300).default(15),
  SMTP_URL: url(["smtp:", "smtps:"], "smtps://user:password@mail.example.com").optional(),
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n@]+@[^\r\n@]+$/, "must be an address such as Signalbox <signalbox@example.com>")
    .optional(),
  ADMIN_EMAILS: list.pipe(z.array(z.email("must list e-mail addresses, separated by commas"))).default([]),
  SIGNUP: z.enum(["open", "invited", "closed"], { error: "must be open, invited or closed" }).optional(),
  BOOTSTRAP: z.enum(["open", "closed"], { error: "must be open or closed" }).optional(),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], {
      error: "must be one of fatal, error, warn, info, debug, trace, silent",
    })
    .default("info"),
  LOG_FORMAT: z.enum(["pretty", "json"], { error: "must be pretty or json" }).optional(),
  CORS_ORIGINS: list.pipe(z.array(url(["http:", "https:"], "https://app.example.com"))).default([]),
  TRUSTED_PROXIES: list.pipe(z.array(cidr)).default([]),
  METRICS_TOKEN: z
    .string()
    .min(16, "must have at least 16 characters")
    .regex(/^[\x21-\x7e]+$/, "must have no spaces: it is sent in a header")
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(["http:", "https:"], "http://localhost:4318")
    .refine((text) => !new URL(text).username && !new URL(text).search && !new URL(text).hash, {
      message:
        "must be a URL without credentials and query, such as http://localhost:4318; credentials go into OTEL_EXPORTER_OTLP_HEADERS",
    })
    .optional(),
  OTEL_EXPORTER_OTLP_HEADERS: list
    .pipe(z.array(header).transform((headers) => Object.fromEntries(headers)))
    .default({}),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal("http/json", { error: "must be http/json or not set: Signalbox supports no other protocol" })
    .default("http/json"),
  OTEL_SERVICE_NAME: z.string().min(1).default("signalbox"),
  OTEL_TRACES_SAMPLER: z
    .literal("parentbased_traceidratio", {
      error: "must be parentbased_traceidratio or left out; OTEL_TRACES_SAMPLER_ARG is its share",
    })
    .default("parentbased_traceidratio"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number({ error: share }).min(0, share).max(1, share).default(1),
});

export type Config = ReturnType<typeof readConfig>;

export function readConfig(environment: NodeJS.ProcessEnv) {
  // `PORT=` in a compose file means "not set", not "the empty string".
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const parsed = variables.safeParse(given);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw new ConfigError(`${String(path[0])} ${message}.`);
  }
  const env = parsed.data;
  if (env.SIGNALBOX_SECRET && env.SIGNALBOX_SECRET_FILE) {
    throw new ConfigError("SIGNALBOX_SECRET and SIGNALBOX_SECRET_FILE are both set. Keep one of them.");
  }
  if (env.DATABASE_URL && !env.SIGNALBOX_SECRET && !env.SIGNALBOX_SECRET_FILE) {
    throw new ConfigError(
      "SIGNALBOX_SECRET must be set when DATABASE_URL is: every replica needs the same one. " +
        "Create it with `openssl rand -base64 32`, or name the file that contains it with SIGNALBOX_SECRET_FILE.",
    );
  }
  const config = {
    host: env.HOST,
    port: env.PORT,
    /** Known only after listening when neither is set and the port is free to choose. */
    publicUrl: env.PUBLIC_URL ? new URL(env.PUBLIC_URL).origin : undefined,
    databaseUrl: env.DATABASE_URL,
    /** Leads to PostgreSQL itself when the other one leads to a pooler. */
    databaseDirectUrl: env.DATABASE_DIRECT_URL,
    /** Undefined means a number that fits the number of processes. */
    databasePool: env.DATABASE_POOL,
    /** Undefined means one for each core, on a PostgreSQL server. */
    processes: env.PROCESSES,
    dataDir: resolve(env.DATA_DIR),
    secret: env.SIGNALBOX_SECRET,
    /** The file that holds the secret, when `secret` is not set. */
    secretFile: env.SIGNALBOX_SECRET_FILE && resolve(env.SIGNALBOX_SECRET_FILE),
    previousSecrets: [...env.SIGNALBOX_SECRET_PREVIOUS, ...listUntrimmed(environment.SIGNALBOX_SECRET)],
    egressAllow: env.EGRESS_ALLOW,
    codehostWebhookSecrets: env.CODEHOST_WEBHOOK_SECRET,
    /** Limits that override the defaults. The feature that defines the quotas checks the names. */
    quotas: env.QUOTAS,
    webhookRetentionDays: env.WEBHOOK_RETENTION_DAYS,
    workerHeartbeatSeconds: env.WORKER_HEARTBEAT_SECONDS,
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM,
    adminEmails: env.ADMIN_EMAILS.map((email) => email.toLowerCase()),
    logLevel: env.LOG_LEVEL,
    /** Undefined means `pretty` when stderr is a terminal, else `json`. */
    logFormat: env.LOG_FORMAT,
    corsOrigins: env.CORS_ORIGINS.map((origin) => new URL(origin).origin),
    trustedProxies: env.TRUSTED_PROXIES,
    metricsToken: env.METRICS_TOKEN,
    tracing: env.OTEL_EXPORTER_OTLP_ENDPOINT
      ? {
          endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
          headers: env.OTEL_EXPORTER_OTLP_HEADERS,
          serviceName: env.OTEL_SERVICE_NAME,
          ratio: env.OTEL_TRACES_SAMPLER_ARG,
        }
      : undefined,
  };
  const isLocal = isLoopbackOnly(config);
  return {
    ...config,
    /** Who may create an account after the first one. */
    signup: env.SIGNUP ?? (isLocal ? "open" : "invited"),
    /** Whether agents may create workspaces without an account. */
    bootstrap: env.BOOTSTRAP ?? (isLocal ? "open" : "closed"),
    /** Whether each of these two was set explicitly. */
    isSet: { signup: env.SIGNUP !== undefined, bootstrap: env.BOOTSTRAP !== undefined },
  };
}

/** The secret with the white space around it: earlier versions sealed with it. */
const listUntrimmed = (secret: string | undefined) =>
  secret !== undefined && secret.trim() !== "" && secret !== secret.trim() ? [secret] : [];

interface NetworkSettings {
  host: string;
  publicUrl: string | undefined;
  trustedProxies: readonly unknown[];
}

/**
 * Returns true when only this machine can reach the service, so callers may reach other loopback services too. `HOST`
 * alone does not decide: a proxy makes the service public although it listens on loopback.
 */
export const isLoopbackOnly = (config: NetworkSettings): boolean => findExposure(config) === undefined;

/** Returns the setting that lets other machines reach the service, or undefined when it is loopback-only. */
export function findExposure({ host, publicUrl, trustedProxies }: NetworkSettings): string | undefined {
  if (host !== "localhost" && !(isIP(host) !== 0 && ipaddr.parse(host).range() === "loopback"))
    return `HOST is ${host}`;
  if (publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname))
    return `PUBLIC_URL is ${publicUrl}`;
  if (trustedProxies.length > 0) return "TRUSTED_PROXIES names a proxy";
  return undefined;
}
